#pragma once

#include <string_view>

#include "sim/core/registry.h"

namespace a3sim {

// A reader that takes whatever bytes it is given. One file each, registered by its name; its seeds are the files of
// corpus/NAME.
class FuzzTarget {
 public:
  static constexpr std::string_view kKind = "fuzz target";
  virtual ~FuzzTarget() = default;
  // What the input is refused with (Error) is fine; anything else that leaves is a finding.
  virtual void take(std::string_view input) const = 0;
};

using FuzzTargets = Registry<FuzzTarget>;

}  // namespace a3sim
