#pragma once

#include <cstdint>

#include "sim/core/ids.h"
#include "sim/core/units.h"

namespace a3sim {

// When the host's launches of kernels reach the devices, where each kernel is launched for itself. Dates are the
// pass's.
class KernelLaunches {
 public:
  virtual ~KernelLaunches() = default;
  // The device could begin with a kernel of the rank at `asked`; it begins at the date that is returned, no
  // earlier. Asked once a kernel, in their order.
  virtual Time begin(RankId rank, std::uint32_t kernel, Time asked) = 0;
};

}  // namespace a3sim
