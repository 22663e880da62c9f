#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/cli/command.h"
#include "sim/cli/known_so_far.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/profile_input.h"
#include "sim/cli/result_directory.h"
#include "sim/cli/run_first.h"
#include "sim/compare/runs/compare_runs.h"
#include "sim/core/error.h"
#include "sim/result/saved_run.h"
#include "traces/import/profile.h"
#include "traces/import/profile_report.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

struct CompareOptions {
  std::string sides[2];             // directories and experiments; empty: none
  std::vector<std::string> models;  // --hf
  std::string pass;
  std::vector<std::string> names, set;
  JitterOption jitter;
  ThreadsOption threads;
  JsonOption json;
};

// The two runs that are compared.
class Sides {
 public:
  explicit Sides(const CompareOptions& options) {
    for (const std::string& side : options.sides)
      if (!side.empty()) results_.emplace_back(side, options.set, options.threads.count);
    for (const std::string& model : options.models) {
      ConfigOption config;
      config.file = model;
      config.set = options.set;
      results_.emplace_back(config, options.threads.count);
    }
    check_set(options.set, std::ranges::any_of(results_, &GivenResult::was_run));
  }

  const fs::path& operator[](std::size_t side) const { return results_[side].directory(); }

 private:
  std::vector<GivenResult> results_;
};

// Compares a run with a profile, in either order.
void compare_with_profile(const CompareOptions& options, const fs::path& run, const fs::path& path) {
  check_result(run, "run");
  const NameMap names = name_map(options.names);
  const Profile profile = profile_at(path);
  const SavedRun saved = read_run(run, options.pass);
  print_report(mismatch_report(profile, profile_of(saved.passes, profile.unit), names), options.json);
}

void compare_sides(const CompareOptions& options, KnownSoFar& known) {
  const Sides sides(options);
  if (is_profile(sides[0]) && is_profile(sides[1])) {
    if (!options.names.empty()) throw InputError("--name: names of a profile are mapped to a run's only");
    return print_report(profiles_compared(profile_at(sides[0]), profile_at(sides[1])), options.json);
  }
  if (is_profile(sides[1])) return compare_with_profile(options, sides[0], sides[1]);
  if (is_profile(sides[0])) return compare_with_profile(options, sides[1], sides[0]);
  if (!options.names.empty()) throw InputError("--name: neither A nor B is a profile");
  for (const std::size_t side : {0, 1}) check_result(sides[side], "run");
  CompareRunsOptions how{options.pass, options.jitter.options, options.threads.count, {}};
  how.seen = [&](const Report& so_far, const std::string& extent) {
    known.show_first(so_far.text(), extent);
  };
  print_report(compare_runs(sides[0], sides[1], how), options.json);
}

void compare(const CompareOptions& options) {
  const auto named =
      std::ranges::count_if(options.sides, [](const std::string& side) { return !side.empty(); });
  const std::size_t given = static_cast<std::size_t>(named) + options.models.size();
  if (given != 2)
    throw InputError(fmt::format("two are compared, and {} {} given: results, experiments, or models by --hf",
                                 given, given == 1 ? "is" : "are"));
  KnownSoFar known(options.json);
  known.unless_interrupted([&] { compare_sides(options, known); });
}

void add_compare_options(CLI::App& app, CompareOptions& options) {
  app.add_option(
      "A", options.sides[0],
      "what 'a3sim run CONFIG --trace -o' or 'a3sim import PROFILE -o' wrote, a profiler's directory, or an "
      "experiment, which is run first");
  app.add_option("B", options.sides[1], "another one; it is run again with parts of A");
  repeatable(app.add_option("--hf", options.models,
                            "a model's HuggingFace config.json in place of an experiment; repeatable"),
             "FILE");
  add_set(app, options.set);
  app.add_option("--pass", options.pass, "only this pass: forward, backward, …");
  add_names(app, options.names);
  options.jitter.add_to(app);
  options.threads.add_to(app);
  options.json.add_to(app);
}

A3SIM_REGISTER(
    Command, "compare",
    "Two results or experiments side by side, and the cause of the difference; or a run and a profile",
    Command(CommandGroup::kUnderstand, add_compare_options, compare));

}  // namespace
}  // namespace a3sim
