#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/cli/command.h"
#include "sim/cli/known_so_far.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/core/error.h"
#include "sim/study/explore/run_difference.h"
#include "sim/study/explore/step_difference.h"
#include "traces/analysis/critical_path.h"
#include "traces/analysis/operator_blame.h"
#include "traces/import/imported.h"
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

// Compares a run with a profile, in either order.
void compare_with_profile(const CompareOptions& options, const std::string& run,
                          const std::string& imported) {
  check_result(run, "run");
  check_result(imported, "import");
  const NameMap names = name_map(options.names);
  const Profile profile = read_imported(imported);
  const SavedRun saved = read_run(run, options.pass);
  print_report(mismatch_report(profile, profile_of(saved.passes, profile.unit), names), options.json);
}

bool on_streams(const SavedRun& run) { return run.passes.front().trace.machine.streams; }

// Says which of two runs on streams is faster, from one run of each, and what of their configurations differs.
std::string verdict_on_streams(const SavedRun& a, const SavedRun& b, Duration of_a, Duration of_b) {
  const std::vector<ConfigDifference> differences = config_differences(a.configuration(), b.configuration());
  std::string text;
  for (const ConfigDifference& one : differences) text += fmt::format("  {}\n", difference_text(one));
  if (!text.empty()) text = "configurations differ in\n" + text + '\n';
  if (of_a == of_b) return text + fmt::format("A and B both take {} ms.\n", in_milliseconds(of_a));
  text += fmt::format("B takes {} ms ({:.1f} %) {} than A, from one run of each, without noise.\n",
                      in_milliseconds(of_b > of_a ? of_b - of_a : of_a - of_b),
                      100 * std::abs(seconds(of_b) / seconds(of_a) - 1), of_b > of_a ? "longer" : "less");
  const std::string work = different_work(differences);
  const Duration longer = std::max(of_a, of_b), shorter = std::min(of_a, of_b);
  return text +
         (work.empty() ? fmt::format("{} is {:.2f} times faster than {}", of_b < of_a ? "B" : "A",
                                     seconds(longer) / seconds(shorter), of_b < of_a ? "A" : "B")
                       : work) +
         '\n';
}

// Compares passes of the same name, or the only pass of each.
void compare_on_streams(const SavedRun& a, const SavedRun& b, const JsonOption& json) {
  Report report;
  report.fact("schema_version", 1);
  const std::optional<Report> steps = step_difference(a.directory, b.directory);
  if (steps) report.part("step", *steps);
  if (!a.sums.empty() || !b.sums.empty()) return print_report(report, json);
  Duration total[2] = {};
  for (const TracedPass& of_a : a.passes) {
    const auto same = [&](const TracedPass& of_b) { return of_b.name == of_a.name; };
    const auto found = std::ranges::find_if(b.passes, same);
    if (found == b.passes.end()) continue;
    const Trace &first = of_a.trace, &second = found->trace;
    total[0] += first.latency();
    total[1] += second.latency();
    Report pass;
    pass.fact("pass", of_a.name).fact("a_ps", first.latency()).fact("b_ps", second.latency());
    pass.say(fmt::format("{}: A {} ms, B {} ms\n", of_a.name, in_milliseconds(first.latency()),
                         in_milliseconds(second.latency())));
    add_blame(pass, "critical path, B - A, ms",
              blame_difference(second, critical_path(Causes(second)), first, critical_path(Causes(first))));
    report.part("passes", std::move(pass));
  }
  if (!steps) {
    report.say(
        "What differs is not traced to parts of the configurations: that runs tasks again, and these are "
        "runs of kernels on streams.\n",
        "missing");
    if (total[0] > Duration::zero()) report.say(verdict_on_streams(a, b, total[0], total[1]), "verdict");
  }
  print_report(report, json);
}

// What has run again so far.
std::string extent_of(const Counterfactuals& so_far) {
  if (so_far.a.empty() || so_far.b.empty()) return "what was saved";
  const auto ran = [](const Counterfactual& part) { return !part.totals.empty() || !part.error.empty(); };
  return fmt::format("what {} of {} parts of A make of B", std::ranges::count_if(so_far.parts, ran),
                     so_far.parts.size());
}

void compare_runs(const CompareOptions& options) {
  const std::string &first = options.directories[0], &second = options.directories[1];
  if (kind_of_result(second) == "import") return compare_with_profile(options, first, second);
  if (kind_of_result(first) == "import") return compare_with_profile(options, second, first);
  if (!options.names.empty())
    throw InputError("--name: neither A nor B is a profile that 'a3sim import -o' wrote");
  for (const std::string& directory : options.directories) check_result(directory, "run");
  // Two steps are compared by their classes, also without tasks.
  const Tasks tasks = step_difference(first, second) ? Tasks::kIfThere : Tasks::kNeeded;
  const SavedRun a = read_run(first, options.pass, tasks);
  const SavedRun b = read_run(second, options.pass, tasks);
  if (on_streams(a) || on_streams(b)) return compare_on_streams(a, b, options.json);
  const JitterOptions& jitter = options.jitter.options;
  KnownSoFar known(options.json);
  const auto take = [&](const RunDifference& so_far) {
    known.show_first(difference_report(so_far, jitter).text(), extent_of(so_far.counterfactuals));
  };
  const RunDifference difference =
      known.unless_interrupted([&] { return difference_of(a, b, jitter, options.threads.count, take); });
  print_report(difference_report(difference, jitter), options.json);
}

void add_compare_options(CLI::App& app, CompareOptions& options) {
  app.add_option("A", options.directories[0],
                 "what 'a3sim run CONFIG --trace -o' or 'a3sim import PROFILE -o' wrote")
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
               Command(CommandGroup::kUnderstand, add_compare_options, compare_runs));

}  // namespace
}  // namespace a3sim
