#include "sim/diagnosis/pages/job_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/diagnosis/pages/link_map.h"
#include "sim/diagnosis/pages/profile_section.h"
#include "sim/diagnosis/pages/step_map.h"
#include "sim/diagnosis/rules/advice_report.h"
#include "sim/diagnosis/rules/finding_section.h"

namespace a3sim {
namespace {

constexpr std::size_t kMostPasses = 10;        // tabs of a timeline
constexpr std::size_t kMostRecords = 300'000;  // of all of them
constexpr double kPercentOfPart = 100;

std::string slow_text(const Advice& advice, const StepMap& map) {
  if (advice.slow == 0) return advice.steps > 1 ? "No step is slow." : "";
  return fmt::format(
      "{} of {} steps {} slow: {:.3f} ms where {:.3f} ms are usual. That costs {:.1f} % of the time of all "
      "steps.",
      advice.slow, advice.steps, advice.slow == 1 ? "is" : "are", map.slow_ms(), advice.usual_ms,
      kPercentOfPart * map.lost_ms() / map.took_ms());
}

// Says where most of a profiled step goes to no kernel at all: causes of kernels are then small beside it.
std::string idle_text(const Advice& advice) {
  double length = 0, free = 0;
  for (const RankShares& rank : advice.time) {
    length += rank.length;
    free += rank.free;
  }
  if (length <= 0 || free < length / 2) return {};
  const auto ranks = static_cast<double>(advice.time.size());
  return fmt::format("In {:.3f} of {:.3f} ms of a step nothing runs on the device ({:.1f} %){}.",
                     free / ranks, length / ranks, kPercentOfPart * free / length,
                     advice.time.size() > 1 ? ", mean of the ranks" : "");
}

void add_answer(Page& page, const Observation& job, const Advice& advice, const StepMap& map) {
  PageBlocks blocks;
  const std::size_t full = job.full_steps().size();
  std::vector<PageBlocks::Card> cards{
      {"ranks", std::to_string(advice.ranks), ""},
      {"steps", std::to_string(advice.steps), fmt::format("{} recorded in full", full)},
      {advice.steps > 1 ? "usual step" : "step", fmt::format("{:.3f} ms", advice.usual_ms), ""}};
  if (advice.steps > 1) {
    cards.push_back({"slow steps", std::to_string(advice.slow),
                     advice.slow == 0 ? "" : fmt::format("{:.3f} ms, the mean", map.slow_ms())});
    cards.push_back({"lost in slow steps", fmt::format("{:.3f} ms", map.lost_ms()),
                     fmt::format("{:.1f} % of {:.3f} ms, all steps",
                                 kPercentOfPart * map.lost_ms() / map.took_ms(), map.took_ms())});
  }
  blocks.cards(cards);
  if (const std::string slow = slow_text(advice, map); !slow.empty()) blocks.verdict(slow);
  if (const std::string idle = idle_text(advice); !idle.empty()) blocks.verdict(idle);
  const std::string finding = first_finding(advice, "step");
  blocks.verdict(finding.empty() ? "No finding costs 1 % of a step." : finding);
  page.add("Answer", blocks);
}

// Adds what records lack, which matters to those who doubt the answer.
void add_missing(Page& page, const Advice& advice) {
  if (advice.missing.empty()) return;
  std::vector<std::string> lines{"Causes may be missed, because records lack:"};
  for (const Missing& missing : advice.missing) lines.push_back("- " + missing.column);
  page.add(fmt::format("Not seen ({})", advice.missing.size()),
           PageBlocks().say(fmt::format("{}", fmt::join(lines, "\n"))), true);
}

// Adds the steps that were recorded in full. Below each is the same step of a machine without faults, if
// known.
void add_recorded_steps(Page& page, const Observation& job, const std::string& name) {
  std::vector<ObservedRun> runs{{name, &job, full_passes(job)}};
  const FullStep reference = job.reference_full();
  if (runs.front().passes.empty() && !reference.operators.empty()) {
    runs.front().passes.push_back({"without faults and noise", reference});
  } else if (!reference.operators.empty()) {
    ObservedRun usual{"without faults and noise", &job, {}};
    for (const ObservedPass& pass : runs.front().passes) usual.passes.push_back({pass.name, reference});
    runs.push_back(std::move(usual));
  }
  if (runs.front().passes.empty()) return;
  const std::size_t hidden = add_observed(page, "Timeline", runs);
  if (hidden > 0)
    page.add("Not on the timeline", PageBlocks().say(fmt::format(
                                        "{} records run beside more others than there are lanes.", hidden)));
}

}  // namespace

std::vector<ObservedPass> full_passes(const Observation& job) {
  std::vector<ObservedPass> passes;
  std::size_t records = 0;
  const auto add = [&](std::string name, FullStep step) {
    records += step.operators.size() + step.host.size();
    if (step.operators.empty() || passes.size() == kMostPasses || records > kMostRecords) return;
    passes.push_back({std::move(name), std::move(step)});
  };
  for (const std::uint32_t step : job.full_steps())
    if (passes.size() < kMostPasses && records <= kMostRecords)
      add(fmt::format("step {}", job.number_of(step)), job.full(step));
  return passes;
}

void add_job(Page& page, const Observation& job, const Advice& advice, const std::string& name) {
  const StepMap map(job, advice);
  add_answer(page, job, advice, map);
  map.add_to(page);
  add_job_findings(page, advice);
  if (const ProfiledTime* time = job.profiled_time()) add_profile(page, *time, advice);
  add_link_map(page, job, advice.slow_steps);
  add_recorded_steps(page, job, name);
  add_missing(page, advice);
  page.add("As a3sim advise says it", PageBlocks().code(advice_text(advice)), true);
}

}  // namespace a3sim
