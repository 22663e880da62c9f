#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"

namespace a3sim {

// Another published value of the same point.
struct OtherValue {
  double value = 0;  // in the metric's base unit
  std::string source;
};

// Whether hardware values are fitted to a point, or it is held out to test the fit; comparisons are neither.
enum class Use : std::uint8_t { kComparison, kCalibration, kHeldOut };
constexpr auto names_of(Use) {
  return std::to_array<std::string_view>({"comparison", "calibration", "held_out"});
}

// A published value, with its one source and the hardware file that describes what it was measured on.
struct Reference {
  nlohmann::ordered_json coordinates;  // of the point: {"ep": 4, "pass": "forward", …}
  std::string metric;                  // sim/study/metrics/metric_unit.h
  double value = 0;                    // in the metric's base unit
  std::string hardware;                // configs/hardware/NAME.yaml; recorded: none is simulated
  std::string source;
  std::string note;  // may be empty
  Use use = Use::kComparison;
  std::vector<OtherValue> spread;
  // Follows from other values of the table: the total of passes, the speed-up of latencies. It is compared, and counts in
  // no mean.
  bool follows = false;

  // The value in one of the metric's units.
  double in(std::string_view unit) const;
};

// What is written in a file as a point's coordinate: whole numbers are numbers, true and false
// are themselves, all else is text.
nlohmann::ordered_json coordinate_of(const std::string& text);
// The same as text.
std::string text_of(const nlohmann::ordered_json& coordinate);
// "ep 4, pass forward", of all of them; nothing of null.
std::string text_of_all(const nlohmann::ordered_json& coordinates);

// Reads the list `points` of a table. Notes all that is wrong with it.
std::vector<Reference> read_references(const Config& table);

// The value of exactly these coordinates and metric, or nullptr.
const Reference* find_reference(const std::vector<Reference>& references,
                                const nlohmann::ordered_json& coordinates, std::string_view metric);

// Whether coordinates are the same; the order of their keys does not matter.
bool same_coordinates(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);

}  // namespace a3sim
