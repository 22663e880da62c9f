#include "sim/compare/runs/compare_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/compare/runs/run_difference.h"
#include "sim/compare/runs/step_difference.h"
#include "sim/verdict/difference_verdict.h"
#include "traces/analysis/critical_path.h"
#include "traces/analysis/operator_blame.h"

namespace a3sim {
namespace {

bool on_streams(const SavedRun& run) { return run.passes.front().trace.machine.streams; }

// Says which of two runs on streams is faster, from one run of each, and what of their configurations differs.
std::string verdict_on_streams(const SavedRun& a, const SavedRun& b, Duration of_a, Duration of_b) {
  const std::vector<ConfigDifference> differences = config_differences(a.configuration(), b.configuration());
  std::string text;
  for (const ConfigDifference& one : differences) text += fmt::format("  {}\n", difference_text(one));
  if (!text.empty()) text = "configurations differ in\n" + text + '\n';
  if (of_a == of_b) return text + fmt::format("A and B both take {}.\n", in_ms_or_s(of_a));
  const auto apart = static_cast<double>((of_b - of_a).count());
  DifferenceVerdict verdict{{apart, apart, apart}, seconds(of_b) / seconds(of_a) - 1, of_b - of_a};
  verdict.one_run = true;
  text += verdict_text(verdict) + '\n';
  const std::string work = different_work(differences);
  const Duration longer = std::max(of_a, of_b), shorter = std::min(of_a, of_b);
  return text +
         (work.empty() ? fmt::format("{} is {:.2f} times faster than {}", of_b < of_a ? "B" : "A",
                                     seconds(longer) / seconds(shorter), of_b < of_a ? "A" : "B")
                       : work) +
         '\n';
}

// Compares passes of the same name, or the only pass of each.
Report compare_on_streams(const SavedRun& a, const SavedRun& b, const std::optional<Report>& steps) {
  Report report;
  report.fact("schema_version", 1);
  if (steps) report.part("step", *steps);
  if (!a.sums.empty() || !b.sums.empty()) return report;
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
    pass.say(fmt::format("{}: A {}, B {}\n", of_a.name, in_ms_or_s(first.latency()),
                         in_ms_or_s(second.latency())));
    add_blame(pass, "critical path, B - A, ms",
              blame_difference(second, critical_path(Causes(second)), first, critical_path(Causes(first))));
    report.part("passes", std::move(pass));
  }
  if (!steps) {
    report.say(
        "The difference is not attributed to parts of the configurations: that needs runs of tasks, and "
        "these "
        "are runs of kernels on streams.\n",
        "missing");
    if (total[0] > Duration::zero()) report.say(verdict_on_streams(a, b, total[0], total[1]), "verdict");
  }
  return report;
}

// The runs that have been repeated so far.
std::string extent_of(const Counterfactuals& so_far) {
  if (so_far.a.empty() || so_far.b.empty()) return "what was saved";
  const auto ran = [](const Counterfactual& part) { return !part.totals.empty() || !part.error.empty(); };
  return fmt::format("what {} of {} parts of A make of B", std::ranges::count_if(so_far.parts, ran),
                     so_far.parts.size());
}

}  // namespace

Report compare_runs(const std::filesystem::path& a, const std::filesystem::path& b,
                    const CompareRunsOptions& options) {
  // Two steps are compared by their classes, also without tasks.
  const std::optional<Report> steps = step_difference(a, b);
  const Tasks tasks = steps ? Tasks::kIfThere : Tasks::kNeeded;
  const SavedRun first = read_run(a, options.pass, tasks), second = read_run(b, options.pass, tasks);
  if (on_streams(first) || on_streams(second)) return compare_on_streams(first, second, steps);
  const auto seen = [&](const RunDifference& so_far) {
    if (options.seen)
      options.seen(difference_report(so_far, options.jitter), extent_of(so_far.counterfactuals));
  };
  return difference_report(difference_of(first, second, options.jitter, options.threads, seen),
                           options.jitter);
}

}  // namespace a3sim
