#pragma once

#include <string_view>

#include "sim/core/registry.h"

namespace a3sim {

// A reader that accepts any bytes. One file each, registered by its name; its seeds are the files of
// corpus/NAME.
class FuzzTarget {
 public:
  static constexpr std::string_view kKind = "fuzz target";
  virtual ~FuzzTarget() = default;
  // May throw Error to refuse the input. Any other exception is a bug.
  virtual void take(std::string_view input) const = 0;
};

using FuzzTargets = Registry<FuzzTarget>;

}  // namespace a3sim
