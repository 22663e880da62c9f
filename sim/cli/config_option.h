#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

// The options `--set KEY=VALUE` and `--order FILE`, which override parts of a configuration.
struct OverrideOptions {
  std::vector<std::string> set;
  std::string order;
  void add_set_to(CLI::App& app);
  void add_order_to(CLI::App& app);
  void warn(const Experiment& experiment, const std::string& file) const;
  bool any() const { return !set.empty() || !order.empty(); }
  // Loads the experiment. Throws InputError with everything that is wrong with the configuration. Warns of
  // values that change nothing.
  Experiment load(const std::string& file) const;
};

// The argument `CONFIG` with these options, for every command that reads an experiment.
struct ConfigOption : OverrideOptions {
  std::string file;           // what is loaded, however it was given
  std::string script, model;  // --script, --hf
  void add_to(CLI::App& app);
  // Leaves out --order, for a command that defines its own.
  void add_without_order_to(CLI::App& app);
  Experiment load() const;
};

// Warns of entries in the order's pools and limits that select no operator.
void warn_of_order(const Experiment& experiment);

}  // namespace a3sim
