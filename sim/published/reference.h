#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"

namespace a3sim {

// A further published value of the same point.
struct OtherValue {
  double value = 0;  // in the metric's base unit
  std::string source;
};

// kCalibration: hardware values are fitted to the point. kHeldOut: the point tests the fit. kComparison:
// neither.
enum class Use : std::uint8_t { kComparison, kCalibration, kHeldOut };
constexpr auto names_of(Use) {
  return std::to_array<std::string_view>({"comparison", "calibration", "held_out"});
}

// A published value with its source and the hardware file of the machine that it was measured on.
struct Reference {
  nlohmann::ordered_json coordinates;  // of the point: {"ep": 4, "pass": "forward", …}
  std::string metric;                  // sim/result/metrics/metric_unit.h
  double value = 0;                    // in the metric's base unit
  std::string hardware;                // configs/hardware/NAME.yaml; recorded even if not simulated
  std::string source;
  std::string note;  // may be empty
  Use use = Use::kComparison;
  std::vector<OtherValue> spread;
  // True if it follows from other values of the table, as the total of passes or a speed-up does. It is
  // compared, but counts in no mean.
  bool follows = false;

  // Returns the value in one of the metric's units.
  double in(std::string_view unit) const;
};

// Reads a coordinate as files write it: whole numbers and true or false keep their types, all else is text.
nlohmann::ordered_json coordinate_of(const std::string& text);
// Returns a coordinate as text.
std::string text_of(const nlohmann::ordered_json& coordinate);
// Returns all coordinates as text, "ep 4, pass forward". Empty for null.
std::string text_of_all(const nlohmann::ordered_json& coordinates);

// Reads the list `points` of a table. Reports all that is wrong with it.
std::vector<Reference> read_references(const Config& table);

// Returns the value with exactly these coordinates and metric, or nullptr.
const Reference* find_reference(const std::vector<Reference>& references,
                                const nlohmann::ordered_json& coordinates, std::string_view metric);

// True if the coordinates are the same. The order of their keys does not matter.
bool same_coordinates(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);

}  // namespace a3sim
