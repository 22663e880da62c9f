#pragma once

#include "sim/core/error.h"

namespace a3sim {

// A size, or a time that follows from sizes, is beyond what can be simulated. Whoever knows the configuration adds the
// keys that it follows from (sim/experiment/config/stated_numbers.h).
class InputSizeError : public InputError {
 public:
  using InputError::InputError;
};

class RunSizeError : public RunError {
 public:
  using RunError::RunError;
};

}  // namespace a3sim
