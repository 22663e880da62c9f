#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/registry.h"

namespace a3sim {

// A predicted value beside the published one, where there is one.
struct Point {
  nlohmann::ordered_json kase;
  std::string metric, unit;
  double value = 0;
  std::optional<double> reference;
  std::string source;  // of the reference; empty without one
};

struct Reproduced {
  std::vector<Point> points;
  std::string text;  // tables for people
};

// A published experiment that is run again on the model; one file each, registered by name.
class Reproduction {
 public:
  static constexpr std::string_view kKind = "experiment";
  virtual ~Reproduction() = default;
  // `configs` is the folder with experiments/ and reference/.
  virtual Reproduced run(const std::filesystem::path& configs) const = 0;
};

using Reproductions = Registry<Reproduction>;

// An array of objects: experiment, case, metric, unit, value, reference (or null), source (or null).
nlohmann::ordered_json points_json(const std::string& experiment, const std::vector<Point>& points);

// The folder with the shipped configurations: $A3SIM_CONFIGS, else that of the source tree.
std::filesystem::path configs_folder();

}  // namespace a3sim
