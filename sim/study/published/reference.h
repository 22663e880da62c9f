#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace a3sim {

// Another published value of the same point.
struct OtherValue {
  double value = 0;  // in the metric's base unit
  std::string source;
};

// A published value, with its one source and the hardware file that describes what it was measured on.
struct Reference {
  nlohmann::ordered_json kase;  // what identifies the point: {"ep": 4, "pass": "forward", …}
  std::string metric;           // sim/study/published/metric.h
  double value = 0;             // in the metric's base unit
  std::string hardware;         // configs/hardware/NAME.yaml
  std::string source;
  std::string note;          // may be empty
  bool calibration = false;  // whether hardware values may be fitted to it
  std::vector<OtherValue> spread;

  // The value in one of the metric's units.
  double in(std::string_view unit) const;
};

// Reads configs/reference/NAME.yaml. Throws InputError with all that is wrong with it.
std::vector<Reference> read_references(const std::filesystem::path& file);

// Whether two cases are the same; the order of their keys does not matter.
bool same_case(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);

// The value of exactly this case and metric, or nullptr.
const Reference* find_reference(const std::vector<Reference>& references, const nlohmann::ordered_json& kase,
                                std::string_view metric);

}  // namespace a3sim
