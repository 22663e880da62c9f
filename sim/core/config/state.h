#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/core/config/value.h"

namespace a3sim {

// The state that all views of one configuration share.
struct Config::State {
  Diagnostics& diagnostics;
  std::unique_ptr<ConfigValue> root;
  bool broken = false;  // something could not be read: missing keys are not reported
  std::vector<std::unique_ptr<ConfigValue>> stand_ins;  // empty mappings that replace values of other kinds
};

// The value of a key: a scalar, and the mapping around it if it has a source.
struct Config::Found {
  ConfigValue* scalar = nullptr;  // nullptr: absent or wrong, and reported
  ConfigValue* source = nullptr;
};

}  // namespace a3sim
