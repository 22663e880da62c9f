#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace a3sim {

// Returns what a step is not: what the launch script says of itself (step.not_modelled), and the layers of the model's
// config.json that differ from the script's by more than experts. The script's are the ones that run. Returns nothing if the
// script has no layers, or if the config.json has the same kinds.
std::vector<std::string> layers_left_out(const std::filesystem::path& script,
                                         const std::filesystem::path& model);

}  // namespace a3sim
