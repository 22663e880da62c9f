#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "sim/variation/noise.h"

// Options that several commands share.
namespace a3sim {

// Lets an option be given several times, with one value each.
inline CLI::Option* repeatable(CLI::Option* option, const char* type) {
  return option->type_name(type)->expected(1)->take_all();
}

// If there is no file of the name that `option` is given, it takes a shipped file of that folder of configs/,
// either by its name alone (ep8) or by its path in the sources (configs/experiments/ep8.yaml), wherever a3sim
// is installed.
void take_shipped_too(CLI::Option* option, const std::string& folder);

// Returns the path of the shipped file that `given` names, or `given` itself. Throws InputError, which lists the shipped ones,
// for a name that is neither.
std::string file_or_shipped(const std::string& given, const std::string& folder);

// The option `--threads N` of commands that run many simulations. Results do not depend on it.
struct ThreadsOption {
  unsigned count = std::max(1U, std::thread::hardware_concurrency());
  void add_to(CLI::App& app) {
    app.add_option("--threads", count, "simulations at a time (default: one per core of the machine)")
        ->check(CLI::Range(1, 1024));
  }
};

// Adds `--name THEIRS=OURS`, which maps a profile's name of an operator to a run's.
void add_names(CLI::App& app, std::vector<std::string>& names);

// Throws InputError for text that is no such pair.
std::map<std::string, std::string, std::less<>> name_map(const std::vector<std::string>& names);

// The options `--jitter RUNS` and `--seed N` of commands that decide between runs.
struct JitterOption {
  JitterOptions options;
  // Returns the option --jitter.
  CLI::Option* add_to(CLI::App& app) {
    CLI::Option* const runs =
        app.add_option(
               "--jitter", options.runs,
               fmt::format(
                   "number of runs with random times of tasks and rates, whose medians decide ('a3sim try "
                   "--help' says which; default: {}; 0: one run without random times; else at least {})",
                   options.runs, kFewestRuns))
            ->type_name("RUNS")
            ->check([](const std::string& text) {
              constexpr unsigned long kMostRuns = 1000;
              const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
              const unsigned long runs = number && text.size() < 8 ? std::stoul(text) : kMostRuns + 1;
              if (runs == 0 || (runs >= kFewestRuns && runs <= kMostRuns)) return std::string();
              return fmt::format("{}, expected 0, or from {} (the fewest for an interval of 95 %) to {}",
                                 text, kFewestRuns, kMostRuns);
            });
    app.add_option("--seed", options.seed, "seed of the jitter (default: 1)");
    return runs;
  }
};

}  // namespace a3sim
