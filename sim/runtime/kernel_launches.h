#pragma once

#include <cstdint>

#include "sim/core/ids.h"
#include "sim/core/units.h"

namespace a3sim {

// Says when the host's launches reach the devices, for executions that launch each kernel separately. Times
// are those of the pass.
class KernelLaunches {
 public:
  virtual ~KernelLaunches() = default;
  // Returns when the rank's kernel begins: not before `asked`, the time at which the device could begin it.
  // Called once per kernel, in their order.
  virtual Time begin(RankId rank, std::uint32_t kernel, Time asked) = 0;
};

}  // namespace a3sim
