#pragma once

#include <string_view>

#include "sim/experiment/launch/launch_arguments.h"

namespace a3sim {

// True for a script of a shell, and for a YAML file of MindSpeed's FSDP2 trainer.
bool is_launch_script(std::string_view file, std::string_view text);

// Reads either kind. A value that the file leaves open, or that cannot be simulated, says so when it is needed
// (ConfigValue::open), unless another file or --set gives it. What is not modelled and may matter is in step.not_modelled.
LaunchScript read_launch_script(std::string_view text, const Mark& start, Diagnostics& diagnostics);

}  // namespace a3sim
