#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "sim/core/config/value.h"

namespace a3sim {

// A file may be this large: configurations are written by people, and everything in it is kept in memory.
inline constexpr std::size_t kLargestFile = std::size_t{4} << 20;
// So many files may be read for one configuration.
inline constexpr int kMostFiles = 256;

// Reads a file, or text that stands for the file `name`, and everything that it includes, merged; always a
// mapping. Notes what is wrong; nullptr when any of it could not be read.
std::unique_ptr<ConfigValue> read_with_includes(const std::filesystem::path& file, Diagnostics& diagnostics);
std::unique_ptr<ConfigValue> read_with_includes(std::string_view text, const std::string& name,
                                                Diagnostics& diagnostics);

// Lays `over` upon `base`: maps key by key, all else replaced.
void merge(ConfigValue& base, std::unique_ptr<ConfigValue> over);

}  // namespace a3sim
