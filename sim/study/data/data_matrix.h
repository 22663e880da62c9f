#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/study/data/data_report.h"

namespace a3sim {

// The small cases of a configuration under every way of running: each execution with each communication that
// it takes. Throws as small_cases() does.
std::vector<DataCase> cases_of_all_ways(const std::filesystem::path& file,
                                        std::span<const std::string> overrides, std::uint64_t seed);

// The same cases under every shipped order of their graphs instead of their own.
std::vector<DataCase> under_shipped_orders(std::span<const DataCase> cases);

// Checks all cases, so many at a time; a line each in a table. Runs on SimGrid's network take the native one,
// which shares ports alike.
DataFindings check_matrix(std::span<const DataCase> cases, std::uint64_t seed, const Adversary& adversary,
                          unsigned threads);

}  // namespace a3sim
