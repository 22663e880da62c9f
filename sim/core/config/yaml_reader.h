#pragma once

#include <memory>
#include <string_view>

#include "sim/core/config/value.h"

namespace a3sim {

// Mappings and lists may be nested this deep.
inline constexpr std::uint32_t kDeepestNesting = 64;

// Reads one YAML document; an empty one is kNull. `start` is the place of its first character. Of YAML's
// syntax, anchors, aliases, tags, several documents in one file, tabs in the indentation and keys that are
// not plain names are refused. Everything wrong is noted; nullptr when the document cannot be read, duplicate
// keys only are noted and ignored.
std::unique_ptr<ConfigValue> read_yaml(std::string_view text, const Mark& start, Diagnostics& diagnostics);

}  // namespace a3sim
