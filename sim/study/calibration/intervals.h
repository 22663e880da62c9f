#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/calibration/predictor.h"
#include "sim/study/calibration/sensitivity.h"

namespace a3sim {

// Error bars of predictions: how far hardware values inside their ranges move them. They are computed on
// demand and kept in a file, each experiment's under a key of all that they depend on.
class Intervals {
 public:
  // The file of the configurations' folder.
  static std::filesystem::path file_in(const std::filesystem::path& configs);
  // Reads the file; one that is not there holds nothing. Throws InputError for one that is no such file.
  static Intervals open(const std::filesystem::path& file);

  // `moe_ffn: …` what a model of the experiment gives, and its key. `points` are those of the predictor.
  void set(const std::string& experiment, const Predictor& predictor, const Sensitivity& sensitivity,
           const std::string& key);
  // Whether intervals of an experiment are there, under whichever key; and whether under this one.
  bool has(const std::string& experiment) const;
  bool fits(const std::string& experiment, const std::string& key) const;
  // The error bar of a point; none if it has none.
  std::optional<ErrorBar> bar(const std::string& experiment, const Point& point) const;
  // The parameters that move a point most, with what their ends make of it: `memory.hbm -3.1 +0.2 %, …`.
  std::string movers(const std::string& experiment, const Point& point) const;

  // What write_file_atomically() is to write.
  const nlohmann::ordered_json& json() const { return json_; }

 private:
  const nlohmann::ordered_json* find(const std::string& experiment, const Point& point) const;

  nlohmann::ordered_json json_ = nlohmann::ordered_json::object();
};

// The key of an experiment's intervals: a hash of the values that it predicts without variants, of every
// value of these files with its range, and of how the draws are made. What else is in these files, and
// how a value is computed, does not matter.
std::string interval_key(const std::vector<Point>& points, std::span<const std::filesystem::path> files,
                         const SensitivityOptions& options);

}  // namespace a3sim
