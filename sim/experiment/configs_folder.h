#pragma once

#include <filesystem>

namespace a3sim {

// The folder with the shipped configurations: $A3SIM_CONFIGS, else what is installed beside the program, else
// that of the source tree.
std::filesystem::path configs_folder();

}  // namespace a3sim
