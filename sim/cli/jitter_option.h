#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "sim/study/explore/noise.h"

namespace a3sim {

// `--jitter RUNS` and `--seed N`, as commands that decide between runs have them.
struct JitterOption {
  JitterOptions options;
  void add_to(CLI::App& app) {
    app.add_option(
           "--jitter", options.runs,
           fmt::format("runs with random times of tasks and rates, whose medians decide ('a3sim jitter "
                       "--help' says which); {} without it, 0 for one run without any, else at least {}",
                       options.runs, kFewestRuns))
        ->type_name("RUNS")
        ->check([](const std::string& text) {
          constexpr unsigned long kMostRuns = 1000;
          const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
          const unsigned long runs = number && text.size() < 8 ? std::stoul(text) : kMostRuns + 1;
          if (runs == 0 || (runs >= kFewestRuns && runs <= kMostRuns)) return std::string();
          return fmt::format("{}, expected 0, or from {} (the fewest for an interval of 95 %) to {}", text,
                             kFewestRuns, kMostRuns);
        });
    app.add_option("--seed", options.seed, "of the jitter; 1 without it");
  }
};

}  // namespace a3sim
