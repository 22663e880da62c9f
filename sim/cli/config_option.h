#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

// `--set KEY=VALUE` and `--order FILE`: what a command line lays over a configuration.
struct OverrideOptions {
  std::vector<std::string> set;
  std::string order;
  void add_set_to(CLI::App& app);
  void add_order_to(CLI::App& app);
  bool any() const { return !set.empty() || !order.empty(); }
  // Throws InputError with all that is wrong with the configuration. Warns of values that change nothing.
  Experiment load(const std::string& file) const;
};

// `CONFIG` with these, as every command that reads an experiment has them.
struct ConfigOption : OverrideOptions {
  std::string file;
  void add_to(CLI::App& app);
  // Without --order, for a command that has its own.
  void add_without_order_to(CLI::App& app);
  Experiment load() const { return OverrideOptions::load(file); }
};

// Warns of what in the order's pools and limits means no operator.
void warn_of_order(const Experiment& experiment);

}  // namespace a3sim
