#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// The configurations under which published tables are predicted, and values that replace theirs. Only read,
// so that many threads may each predict under their own.
struct Scenario {
  // Replaces a value of a machine's or program's file wherever a configuration takes it from that file. A
  // configuration that states the value itself keeps its own.
  struct HardwareValue {
    std::string path;  // hardware.memory.hbm_read
    std::string value;
    std::filesystem::path file;
  };

  std::filesystem::path configs = configs_folder();  // with experiments/, published/, hardware/, programs/
  std::vector<std::string> overrides{};              // path.to.key=value, over every configuration
  std::vector<HardwareValue> hardware_values{};
  unsigned threads = 1;  // threads for one prediction

  // Returns configs/experiments/NAME.yaml, or `name` itself if it is a YAML file.
  std::filesystem::path file(const std::string& name) const;
  // Loads that file with the scenario's values, the table's own ones (`model.tokens=96`) below them, and
  // the native network. An own `include=FILE`, relative to configs/published/, is laid over the experiment.
  // Throws InputError as load_experiment() does, and if the scenario sets a key that the case sets: it
  // would no longer be that case.
  Experiment load(const std::string& name, const std::vector<std::string>& own = {}) const;

  // True if the user has not set the key of `override` (path.to.key=value), a part of it, or what it is a
  // part of.
  bool leaves_open(const std::string& override) const;
};

}  // namespace a3sim
