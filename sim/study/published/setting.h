#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/experiment/configs_folder.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// Under what reproductions run: whose configurations, with which values instead of theirs, and how much of
// them is needed. Value-like and read only, so that many threads may run reproductions under their own.
struct Setting {
  // Instead of what a hardware file says, wherever a configuration takes the value from that file. A
  // configuration whose hardware states a value anew keeps its own.
  struct Stated {
    std::string path;  // hardware.memory.hbm_read
    std::string value;
    std::filesystem::path file;
  };

  std::filesystem::path configs = configs_folder();  // with experiments/ and reference/
  std::vector<std::string> overrides{};              // path.to.key=value, over every configuration
  std::vector<Stated> stated{};
  unsigned threads = 1;                                        // that one reproduction may use
  bool variants = true;                                        // whether points with a `variant` are needed
  std::optional<std::vector<nlohmann::ordered_json>> cases{};  // the only cases that are needed; none: all

  // configs/experiments/NAME.yaml with this setting's values, below them the reproduction's own
  // (`model.tokens=96`), and the native network. Throws InputError as load_experiment() does, and where the
  // setting's values are of the same keys: the case would not be what it says.
  Experiment load(const std::string& name, const std::vector<std::string>& own = {}) const;

  // Whether `override` (path.to.key=value) is of a key that the user has left alone: not it, nor a part of
  // it, nor what it is a part of.
  bool leaves_open(const std::string& override) const;

  // Whether a case is needed. A reproduction that runs it all the same is only slower.
  bool wants(const nlohmann::ordered_json& kase) const;
};

}  // namespace a3sim
