#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/published/fit/predictor.h"
#include "sim/published/fit/sensitivity.h"

namespace a3sim {

// Error bars of predictions: how far hardware values inside their ranges move each point. They are computed
// on demand and kept in a file; each experiment has a key made of all that its bars depend on.
class Intervals {
 public:
  // Returns the path of the file in the configurations' folder.
  static std::filesystem::path file_in(const std::filesystem::path& configs);
  // Reads the file. Returns empty intervals if there is no file. Throws InputError if it holds no
  // intervals.
  static Intervals open(const std::filesystem::path& file);

  // Replaces the intervals of an experiment. `points` are the predictor's. `sensitivity` belongs to the
  // same points.
  void set(const std::string& experiment, const Predictor& predictor, const Sensitivity& sensitivity,
           const std::string& key);
  // True if there are intervals of the experiment under any key, and under this key.
  bool has(const std::string& experiment) const;
  bool fits(const std::string& experiment, const std::string& key) const;
  // Returns the error bar of a point, or nullopt if it has none.
  std::optional<ErrorBar> bar(const std::string& experiment, const Point& point) const;
  // Returns the parameters that move a point most, with the change at both ends: `memory.hbm -3.1 +0.2 %,
  // …`.
  std::string movers(const std::string& experiment, const Point& point) const;

  // Returns what write_file_atomically() is to write.
  const nlohmann::ordered_json& json() const { return json_; }

 private:
  const nlohmann::ordered_json* find(const std::string& experiment, const Point& point) const;

  nlohmann::ordered_json json_ = nlohmann::ordered_json::object();
};

// Returns the key of an experiment's intervals: a hash of its predictions without variants, of all values
// in the files with their ranges, and of how draws are made. Nothing else in the files changes the key.
std::string interval_key(const std::vector<Point>& points, std::span<const std::filesystem::path> files,
                         const SensitivityOptions& options);

}  // namespace a3sim
