#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "sim/core/config/value.h"

namespace a3sim {

// The largest size of a file. People write configurations, and all of one is kept in memory.
inline constexpr std::size_t kLargestFile = std::size_t{4} << 20;
// The most files of one configuration.
inline constexpr int kMostFiles = 256;

// Read a file, or text in place of the file `name`, with everything that it includes. Return the merged
// mapping. Note errors; return nullptr if any part could not be read.
std::unique_ptr<ConfigValue> read_with_includes(const std::filesystem::path& file, Diagnostics& diagnostics);
std::unique_ptr<ConfigValue> read_with_includes(std::string_view text, const std::string& name,
                                                Diagnostics& diagnostics);

// Merges `over` into `base`: mappings key by key; everything else is replaced.
void merge(ConfigValue& base, std::unique_ptr<ConfigValue> over);

}  // namespace a3sim
