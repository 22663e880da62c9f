#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/published/published_table.h"

namespace a3sim {

// A table's file while it is being read. The functions below are for evaluations, which read their own parts of it. They note
// what is wrong.
struct TableFile {
  const Config& root;
  const std::filesystem::path& folder;  // that files in it are relative to
};

// Returns the overrides below a key, as path.to.key=value; none if the key is absent.
std::vector<std::string> overrides_below(const Config& config, const char* key,
                                         const std::filesystem::path& folder);
// Returns the values below a key as coordinates; null if the key is absent.
nlohmann::ordered_json coordinates_below(const Config& config, const char* key);

// Read `experiment`, `keys`, `set`, `each`, `cases` and `against`, once the table has its references and variants.
void read_cases(const TableFile& file, PublishedTable& table);
// Reads a list `metrics`.
std::vector<PublishedMetric> read_metrics(const Config& config);
// Reads `experiment` and the list `kernels`.
void read_kernels(const TableFile& file, PublishedTable& table);
// Reads whether time starts with the kernel, not with its launch.
bool read_timed_from_kernel(const TableFile& file);

}  // namespace a3sim
