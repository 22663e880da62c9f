#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "sim/experiment/run/draws.h"
#include "traces/report/report.h"

namespace a3sim {

struct CompareRunsOptions {
  std::string pass;  // only this pass; empty: all
  JitterOptions jitter{};
  unsigned threads = 1;
  // If set, is called with what is known so far and how far it goes: "what 2 of 5 parts of A make of B".
  std::function<void(const Report& so_far, const std::string& extent)> seen{};
};

// Compares two directories that 'a3sim run -o' wrote, whatever kind of work they hold: what both have in
// common, and what only their kind of work has. Runs them again, and B with parts of A's configuration, where
// parts can be told apart. Throws InputError if they cannot be compared.
Report compare_runs(const std::filesystem::path& a, const std::filesystem::path& b,
                    const CompareRunsOptions& options);

}  // namespace a3sim
