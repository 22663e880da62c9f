#include "sim/result/profile_page.h"

#include <fmt/format.h>

#include "sim/diagnosis/pages/job_page.h"
#include "sim/result/run_observation.h"
#include "sim/result/run_page.h"
#include "traces/import/profile_report.h"
#include "traces/report/page/observed_section.h"

namespace a3sim {
namespace {

// Adds the timelines of a profile's steps, with the traced runs' kernels below each.
void add_timelines(Page& page, const NamedProfile& measured, const std::vector<SavedRun>& runs) {
  const std::vector<ObservedPass> steps = full_passes(*measured.steps);
  if (steps.empty()) return;
  std::vector<ObservedRun> shown{{measured.name, measured.steps.get(), steps}};
  std::vector<std::unique_ptr<Observation>> simulated;
  for (const SavedRun& run : runs) {
    if (!run.sums.empty() || run.passes.empty()) continue;
    simulated.push_back(observe(run, ""));
    ObservedRun& of_run = shown.emplace_back();
    of_run.name = distinct_names({run.directory}).front();
    of_run.job = simulated.back().get();
    for (const ObservedPass& step : steps) of_run.passes.push_back({step.name, of_run.job->full(0)});
  }
  add_observed(page,
               shown.size() > 1 ? fmt::format("{} and simulated", measured.name)
                                : fmt::format("{}: timeline", measured.name),
               shown);
}

// Returns the mean of a profile's steps over its ranks; zero if they are not known.
Duration mean_step(const Profile& profile) {
  Duration sum{};
  std::int64_t ranks = 0;
  for (const auto& [number, rank] : profile.ranks) {
    if (!rank.steps) continue;
    sum += rank.steps->length;
    ++ranks;
  }
  return ranks > 0 ? sum / ranks : Duration::zero();
}

}  // namespace

std::string held_by(const Profile& profile) {
  const std::size_t ranks = profile.ranks.size();
  std::string text = fmt::format("recorded by a profiler: {} rank{}", ranks, ranks == 1 ? "" : "s");
  if (const Duration step = mean_step(profile); step > Duration::zero())
    text += fmt::format(", a step takes {} ms, mean of the ranks", in_milliseconds(step));
  return text;
}

void add_measured_answer(Page& page, const std::vector<NamedProfile>& profiles,
                         const std::vector<SavedRun>& runs) {
  PageBlocks blocks;
  for (const NamedProfile& named : profiles) {
    const Duration measured = mean_step(named.profile);
    for (const SavedRun& run : runs) {
      if (!run.sums.empty() || measured <= Duration::zero()) continue;
      const Duration simulated = mean_step(profile_of(run.passes, named.profile.unit));
      if (simulated <= Duration::zero()) continue;
      blocks.verdict(fmt::format(
          "Profiled time, mean of the ranks: {} ms measured ({}), {} ms simulated ({}), {:+.1f} %. A "
          "timeline begins with the "
          "first kernel and is shorter.",
          in_milliseconds(measured), named.name, in_milliseconds(simulated),
          distinct_names({run.directory}).front(), 100 * (seconds(simulated) / seconds(measured) - 1)));
    }
  }
  if (!blocks.json.empty()) page.add("Measured and simulated", blocks);
}

void add_profiles(Page& page, const std::vector<NamedProfile>& profiles, const std::vector<SavedRun>& runs) {
  for (const NamedProfile& named : profiles) {
    if (named.steps) add_timelines(page, named, runs);
    for (const SavedRun& run : runs) {
      if (!run.sums.empty()) continue;
      page.add(fmt::format("{} against {}, in numbers", named.name, distinct_names({run.directory}).front()),
               PageBlocks().report(
                   mismatch_report(named.profile, profile_of(run.passes, named.profile.unit), {})));
    }
    page.add(named.name + ": tables", PageBlocks().report(profile_report(named.profile, kNone)), true);
  }
}

}  // namespace a3sim
