#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

// `CONFIG` and `--set KEY=VALUE`, as every command that reads an experiment has them.
struct ConfigOption {
  std::string file;
  std::vector<std::string> set;
  void add_to(CLI::App& app);
  // Throws InputError with all that is wrong with the configuration. Warns of values that change nothing.
  Experiment load() const;
};

}  // namespace a3sim
