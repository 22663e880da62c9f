#pragma once

#include <string_view>

#include "sim/experiment/launch/launch_arguments.h"

namespace a3sim {

// True for a YAML file of MindSpeed-LLM's FSDP2 trainer, judged by its blocks.
bool is_fsdp_yaml(std::string_view file, std::string_view text);

// Reads it as read_launch_script() reads a shell's. Its sizes of the model are those of a config.json beside it.
LaunchScript read_fsdp_yaml(std::string_view text, const Mark& start, Diagnostics& diagnostics);

}  // namespace a3sim
