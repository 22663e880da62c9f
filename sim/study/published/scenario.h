#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/experiment/configs_folder.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// Under what published tables are predicted: whose configurations, with which values instead of theirs.
// Value-like and read only, so that many threads may predict under their own.
struct Scenario {
  // Instead of what a file of a machine or a program says, wherever a configuration takes the value from that file. A
  // configuration that states the value anew keeps its own.
  struct HardwareValue {
    std::string path;  // hardware.memory.hbm_read
    std::string value;
    std::filesystem::path file;
  };

  std::filesystem::path configs = configs_folder();  // with experiments/, published/, hardware/, programs/
  std::vector<std::string> overrides{};              // path.to.key=value, over every configuration
  std::vector<HardwareValue> hardware_values{};
  unsigned threads = 1;  // that one prediction may use

  // configs/experiments/NAME.yaml, or the file that `name` is where it ends so.
  std::filesystem::path file(const std::string& name) const;
  // That file with this scenario's values, below them the table's own (`model.tokens=96`), and the native network. An own
  // `include=FILE`, relative to configs/published/, is laid over the experiment. Throws InputError as load_experiment() does, and where the
  // scenario's values are of the same keys: the case would not be what it says.
  Experiment load(const std::string& name, const std::vector<std::string>& own = {}) const;

  // Whether `override` (path.to.key=value) is of a key that the user has left alone: not it, nor a part of
  // it, nor what it is a part of.
  bool leaves_open(const std::string& override) const;
};

}  // namespace a3sim
