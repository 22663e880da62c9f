#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace a3sim {

// What a JSON schema refuses of a document, each with its place ("/points/3/unit: ..."); empty if it takes it. Knows
// of draft-07 what our schemas use: type, enum, pattern, limits, properties, additionalProperties, required, items and
// their number, anyOf. Throws InputError for a schema with another keyword, which would go unchecked.
std::vector<std::string> refused_by(const nlohmann::ordered_json& schema,
                                    const nlohmann::ordered_json& document);

}  // namespace a3sim
