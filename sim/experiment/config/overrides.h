#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/config/config.h"

namespace a3sim {

// A value that a file overrides in a configuration, as `--set` does.
struct Override {
  std::string key;    // path.to.key; or `include`, a file relative to the file that holds this override
  std::string value;  // YAML
  Mark mark;
  std::string text() const { return key + '=' + value; }
};

// Makes an override for a file in `folder`. Paths in it are relative to the folder, as in every file.
Override make_override(const std::string& key, const std::string& yaml, const Mark& mark,
                       const std::filesystem::path& folder);

// Reads all overrides of a mapping `{path.to.key: value}`.
std::vector<Override> read_overrides(const Config& map, const std::filesystem::path& folder);

// Returns YAML text without the quotes around it, if any.
std::string without_quotes(const std::string& yaml);

}  // namespace a3sim
