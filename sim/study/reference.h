#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/core/units.h"

namespace a3sim {

// A published value, with its one source and the hardware file that describes what it was measured on.
struct Reference {
  nlohmann::ordered_json kase;  // what identifies the point: {"ep": 4, "pass": "forward", …}
  Duration latency;
  std::string hardware;
  std::string source;
};

// Reads configs/reference/NAME.yaml. Throws InputError with all that is wrong with it.
std::vector<Reference> read_references(const std::filesystem::path& file);

// The point with exactly this case, or nullptr.
const Reference* find_reference(const std::vector<Reference>& references, const nlohmann::ordered_json& kase);

}  // namespace a3sim
