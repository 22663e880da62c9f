#pragma once

#include <memory>
#include <string_view>

#include "sim/core/config/value.h"

namespace a3sim {

// The deepest nesting of mappings and lists.
inline constexpr std::uint32_t kDeepestNesting = 64;

// Reads one YAML document; an empty one is kNull. `start` is the place of its first character. Refuses
// anchors, aliases, tags, several documents, tabs in the indentation, and keys that are not plain names.
// Notes errors; returns nullptr if the document cannot be read. Duplicate keys are noted and ignored.
std::unique_ptr<ConfigValue> read_yaml(std::string_view text, const Mark& start, Diagnostics& diagnostics);

}  // namespace a3sim
