#include "sim/diagnosis/rules/step_signs.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "sim/diagnosis/rules/choice.h"

namespace a3sim {
namespace {

// Causes that one fault may show in turn: a port that comes and goes looks steady in single steps.
std::string kin_of(const Finding& finding) {
  const std::string& cause = finding.cause;
  if (cause == "comm.link" || cause == "comm.flapping" || cause == "comm.cable") return "links";
  if (cause == "host.dispatch" || cause == "host.contention") return "launches";
  if (cause == "compute.bound" || cause == "compute.memory" || cause == "compute.underused")
    return "operators";
  return cause.starts_with("io.") ? "io" : cause;
}

bool shows(const std::vector<Finding>& findings, const Finding& one) {
  return std::ranges::any_of(findings, [&](const Finding& other) {
    return kin_of(one) == kin_of(other) && share_place(one, other);
  });
}

// Returns whether steps show a cause in common, be it on other ranks: hosts are late now here, now there.
bool have_common(std::span<const StepSigns* const> a, std::span<const StepSigns* const> b) {
  for (const StepSigns* one : a)
    for (const Finding& finding : one->chosen)
      for (const StepSigns* other : b)
        if (std::ranges::find(other->chosen, kin_of(finding), kin_of) != other->chosen.end()) return true;
  return false;
}

// Returns the most usual steps that lie between two slow steps that follow each other, from one step to another.
std::uint32_t longest_pause(const Episode& episode, std::uint32_t from, std::uint32_t to) {
  std::uint32_t longest = 0;
  for (std::size_t s = 1; s < episode.steps.size(); ++s)
    if (episode.steps[s - 1] >= from && episode.steps[s] <= to)
      longest = std::max(longest, episode.steps[s] - episode.steps[s - 1] - 1);
  return longest;
}

}  // namespace

std::vector<StepSigns> signs_of_steps(const Slowdown& slowdown,
                                      const std::function<std::vector<Finding>(const Slowdown&)>& diagnose) {
  const Episode& episode = slowdown.episode;
  std::vector<StepSigns> signs;
  if (episode.borrowed || episode.recorded.size() + episode.last_recorded.size() < 2) return signs;
  const auto add = [&](std::uint32_t number, const std::vector<RankStep>& seen, FullStep full) {
    const Episode one = one_step(episode, number, seen);
    const Slowdown alone = make_slowdown(slowdown, one, std::move(full));
    StepSigns& step = signs.emplace_back();
    step.step = number;
    step.candidates = diagnose(alone);
    step.chosen = choose(step.candidates, alone.lag() / std::max(1.0, alone.usual()));
  };
  for (std::size_t i = 0; i < episode.recorded.size(); ++i)
    add(episode.recorded[i], episode.seen_each[i], slowdown.full[i]);
  for (std::size_t i = 0; i < episode.last_recorded.size(); ++i)
    add(episode.last_recorded[i], episode.last_seen[i], slowdown.observation.full(episode.last_recorded[i]));
  std::ranges::sort(signs, {}, &StepSigns::step);
  return signs;
}

std::vector<Turn> turns_of(const Slowdown& slowdown, const std::vector<StepSigns>& signs) {
  constexpr std::size_t kSure = 2;  // recorded steps that show a cause on each side
  std::vector<const StepSigns*> known;
  for (const StepSigns& step : signs)
    if (!step.chosen.empty()) known.push_back(&step);
  std::vector<Turn> turns;
  std::size_t begin = 0;
  for (std::size_t k = 1; k < known.size(); ++k) {
    const std::span<const StepSigns* const> all(known);
    const auto before = all.subspan(begin, k - begin), behind = all.subspan(k);
    if (have_common(before, behind)) continue;
    const std::uint32_t from = known[k - 1]->step, to = known[k]->step;
    const bool pause = longest_pause(slowdown.episode, from, to) > kPauseOfTurn;
    if (!pause && (before.size() < kSure || behind.size() < kSure)) continue;
    turns.push_back({from, to});
    begin = k;
  }
  return turns;
}

void keep_to_signs(const Slowdown& slowdown, const std::vector<StepSigns>& signs, Finding& finding) {
  std::vector<std::uint32_t> shown;
  for (const StepSigns& step : signs)
    if (shows(step.candidates, finding)) shown.push_back(step.step);
  if (shown.empty() || shown.size() == signs.size() || slowdown.episode.grows()) return;
  const std::vector<std::uint32_t>& steps = slowdown.episode.steps;
  std::uint32_t first = finding.first, end = finding.last + 1;
  for (const StepSigns& step : signs) {
    if (step.step < shown.front()) first = std::max(first, step.step + 1);
    if (step.step > shown.back()) end = std::min(end, step.step);
  }
  const auto position = [&](std::uint32_t step) {
    return static_cast<std::size_t>(std::ranges::lower_bound(steps, step) - steps.begin());
  };
  claim_steps(slowdown, position(first), position(end), finding);
}

void claim_steps(const Slowdown& slowdown, std::size_t begin, std::size_t end, Finding& finding) {
  const Episode& episode = slowdown.episode;
  if (begin >= end) return;
  finding.first = episode.steps[begin];
  finding.last = episode.steps[end - 1];
  double lost = 0;
  for (std::size_t s = begin; s < end; ++s) lost += episode.lost_each[s];
  finding.lost_ms = finding.explains * lost / kPicosecondsOfMs / (finding.last - finding.first + 1);
}

}  // namespace a3sim
