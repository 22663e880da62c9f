#include "sim/cli/command.h"
#include "sim/cli/known_so_far.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/compare/runs/compare_runs.h"
#include "sim/core/error.h"
#include "sim/result/saved_run.h"
#include "traces/import/ascend_files.h"
#include "traces/import/imported.h"
#include "traces/import/profile.h"
#include "traces/import/profile_report.h"

namespace a3sim {
namespace {

struct CompareOptions {
  std::string directories[2], pass;
  std::vector<std::string> names;
  JitterOption jitter;
  ThreadsOption threads;
  JsonOption json;
};

bool is_profile(const std::string& path) {
  const std::string kind = kind_of_result(path);
  return kind == "import" || (kind.empty() && is_ascend_profile(path));
}

// Reads a profile as 'a3sim import -o' kept it, or as the profiler wrote it.
Profile profile_at(const std::string& path) {
  if (kind_of_result(path).empty()) return read_profile(path);
  check_result(path, "import");
  return read_imported(path);
}

// Compares a run with a profile, in either order.
void compare_with_profile(const CompareOptions& options, const std::string& run, const std::string& path) {
  check_result(run, "run");
  const NameMap names = name_map(options.names);
  const Profile profile = profile_at(path);
  const SavedRun saved = read_run(run, options.pass);
  print_report(mismatch_report(profile, profile_of(saved.passes, profile.unit), names), options.json);
}

void compare(const CompareOptions& options) {
  const std::string &first = options.directories[0], &second = options.directories[1];
  if (is_profile(first) && is_profile(second)) {
    if (!options.names.empty()) throw InputError("--name: names of a profile are mapped beside a run only");
    return print_report(profiles_compared(profile_at(first), profile_at(second)), options.json);
  }
  if (is_profile(second)) return compare_with_profile(options, first, second);
  if (is_profile(first)) return compare_with_profile(options, second, first);
  if (!options.names.empty()) throw InputError("--name: neither A nor B is a profile");
  for (const std::string& directory : options.directories) check_result(directory, "run");
  KnownSoFar known(options.json);
  CompareRunsOptions how{options.pass, options.jitter.options, options.threads.count, {}};
  how.seen = [&](const Report& so_far, const std::string& extent) {
    known.show_first(so_far.text(), extent);
  };
  print_report(known.unless_interrupted([&] { return compare_runs(first, second, how); }), options.json);
}

void add_compare_options(CLI::App& app, CompareOptions& options) {
  app.add_option(
         "A", options.directories[0],
         "what 'a3sim run CONFIG --trace -o' or 'a3sim import PROFILE -o' wrote, or a profiler's directory")
      ->required();
  app.add_option("B", options.directories[1], "another one; it is run again with parts of A")->required();
  app.add_option("--pass", options.pass, "only this pass: forward, backward, …");
  add_names(app, options.names);
  options.jitter.add_to(app);
  options.threads.add_to(app);
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "compare",
               "Two results side by side, and what makes the difference; or simulated beside measured",
               Command(CommandGroup::kUnderstand, add_compare_options, compare));

}  // namespace
}  // namespace a3sim
