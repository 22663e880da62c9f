#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace a3sim {

// Where there is no file of the name that `option` is given, it takes a shipped one of that folder of configs/: by its
// name alone (ep8), or as it stands in the sources (configs/experiments/ep8.yaml), wherever a3sim is installed.
void take_shipped_too(CLI::Option* option, const std::string& folder);

}  // namespace a3sim
