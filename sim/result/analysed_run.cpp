#include "sim/result/analysed_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "sim/core/config/config.h"
#include "sim/core/error.h"
#include "sim/diagnosis/rules/advice_report.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/result/run_observation.h"
#include "sim/result/step_section.h"
#include "sim/verdict/gains.h"
#include "traces/analysis/core_idle.h"
#include "traces/analysis/pass_sums.h"

namespace a3sim {
namespace {

struct SavedBound {
  Duration time{};
  std::string by;
};

// The largest bound of a pass, if the run has written any.
SavedBound read_bound(const Config& result, const std::string& pass_name) {
  constexpr std::int64_t kMostTime = std::int64_t{1} << 50;
  for (const Config& pass : result.maps("passes")) {
    const std::string binding = pass.text("binding", "");
    if (pass.text("pass") != pass_name || binding.empty() || !pass.has("bounds_ps")) continue;
    const std::string cable = pass.text("bounding_cable", "");
    return {Duration(pass.map("bounds_ps").integer(binding, 0, kMostTime)),
            binding == name_of(Bound::kCable) ? "cable " + cable : binding};
  }
  return {};
}

// Runs variations of the run's experiment. What its configuration or this program does not allow is no reason to show less.
void try_variations(AnalysedRun& run, unsigned threads) {
  std::error_code error;
  if (!run.traced() || !std::filesystem::is_regular_file(run.run->configuration(), error)) return;
  std::vector<Verdict> verdicts;
  for (const AnalysedPass& pass : run.passes) verdicts.push_back(pass.verdict);
  try {
    find_gains(load_experiment(run.run->configuration(), {}), verdicts, threads);
  } catch (const Error& failed) {
    if (failed.code() == ExitCode::kInterrupted) throw;
    for (Verdict& verdict : verdicts) {
      verdict.candidates.clear();
      verdict.not_tried = fmt::format("No variation was tried: {}.", failed.what());
    }
  }
  for (std::size_t p = 0; p < verdicts.size(); ++p) run.passes[p].verdict = std::move(verdicts[p]);
}

std::uint32_t read_experts_per_rank(const Config& result) {
  if (!result.has("shape")) return 0;
  const Config shape = result.map("shape");
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return shape.has("experts_per_rank")
             ? static_cast<std::uint32_t>(shape.integer("experts_per_rank", 0, kMost))
             : 0;
}

}  // namespace

Duration AnalysedRun::total() const {
  Duration sum{};
  for (const AnalysedPass& pass : passes) sum += pass.latency();
  return sum;
}

AnalysedRun analyse(const SavedRun& run, std::string name, unsigned threads) {
  AnalysedRun known{&run, std::move(name), {}, 0};
  Diagnostics diagnostics;
  const Config result = Config::load(run.directory / "result.json", {}, diagnostics);
  const RuleBook rules = read_rules(configs_folder() / "advice");
  const std::vector<Overlap> exchanges =
      has_step(run.directory) ? step_overlaps(run.directory) : std::vector<Overlap>();
  for (const TracedPass& pass : run.passes) {
    AnalysedPass& known_pass = known.passes.emplace_back();
    known_pass.pass = &pass;
    if (known.traced()) known_pass.explained = explain(pass.trace);
    if (known_pass.explained && exchanges.size() == pass.trace.ranks.size())
      known_pass.explained->overlaps = exchanges;
    const SavedBound bound = read_bound(result, pass.name);
    known_pass.verdict =
        verdict_of(pass.name, pass.trace, known_pass.explained ? &known_pass.explained->path : nullptr,
                   bound.time, bound.by);
    if (!known.traced()) continue;
    known_pass.advice = advise_on_pass(run, known.passes.size() - 1, rules);
  }
  known.experts_per_rank = read_experts_per_rank(result);
  diagnostics.throw_if_any();
  try_variations(known, threads);
  return known;
}

Report told_pass(const AnalysedRun& run, std::size_t pass, std::uint32_t rank) {
  const AnalysedPass& known = run.passes[pass];
  const TracedPass& traced = *known.pass;
  if (!known.explained) return sums_report(traced.name, traced.trace, run.run->sums[pass], rank);
  Report report = explanation_report(traced.name, traced.trace, *known.explained, rank);
  add_verdict(report, known.verdict);
  if (known.verdict.bound > Duration::zero() && !traced.trace.machine.streams)
    add_core_idle(report, traced.trace, known.verdict.bound);
  const std::string finding = first_finding(*known.advice, "pass");
  if (!finding.empty()) report.say_on(finding + '\n', "finding");
  return report;
}

}  // namespace a3sim
