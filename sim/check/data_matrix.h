#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/check/data_report.h"

namespace a3sim {

// Returns the small cases of a configuration for each execution and each communication that the execution
// takes. Throws as small_cases() does.
std::vector<DataCase> cases_of_all_ways(const std::filesystem::path& file,
                                        std::span<const std::string> overrides, std::uint64_t seed);

// Returns each case under every shipped order of its graphs, instead of its own order.
std::vector<DataCase> under_shipped_orders(std::span<const DataCase> cases);

// Checks all cases, up to `threads` at a time. The table has a line per case. Cases on SimGrid's network
// run on the native one, which shares ports in the same way.
DataFindings check_matrix(std::span<const DataCase> cases, std::uint64_t seed, const Adversary& adversary,
                          unsigned threads);

}  // namespace a3sim
