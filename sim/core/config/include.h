#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "sim/core/config/value.h"

namespace a3sim {

// The largest size of a file: configurations are written by people, and all of it is kept in memory.
inline constexpr std::size_t kLargestFile = std::size_t{4} << 20;
// The most files of one configuration.
inline constexpr int kMostFiles = 256;

// Reads a file, or text that stands for the file `name`, with everything that it includes, and returns the
// merged mapping. Notes errors; returns nullptr if any of it could not be read.
std::unique_ptr<ConfigValue> read_with_includes(const std::filesystem::path& file, Diagnostics& diagnostics);
std::unique_ptr<ConfigValue> read_with_includes(std::string_view text, const std::string& name,
                                                Diagnostics& diagnostics);

// Merges `over` into `base`: mappings key by key; everything else is replaced.
void merge(ConfigValue& base, std::unique_ptr<ConfigValue> over);

}  // namespace a3sim
