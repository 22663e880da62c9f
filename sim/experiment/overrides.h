#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/config/config.h"

namespace a3sim {

// A value that a file lays over a configuration, as `--set` does.
struct Override {
  std::string key;    // path.to.key; `include`: a file, relative to the one that this stands in
  std::string value;  // YAML
  Mark mark;
  std::string text() const { return key + '=' + value; }
};

// One override of `folder`'s file. Paths in it are relative to the folder, like every path in a file.
Override make_override(const std::string& key, const std::string& yaml, const Mark& mark,
                       const std::filesystem::path& folder);

// All of a mapping `{path.to.key: value}`.
std::vector<Override> read_overrides(const Config& map, const std::filesystem::path& folder);

// YAML's text without the quotes that it may stand in.
std::string without_quotes(const std::string& yaml);

}  // namespace a3sim
