#include "sim/diagnosis/locate/episodes.h"

#include <algorithm>

#include "sim/core/statistics.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kTurns = 3;    // slow steps in a row that begin another episode
constexpr std::uint32_t kStopped = 4;  // steps without a slow one that end a dense episode

std::uint32_t first_suspect(const StepVerdict& step) {
  return step.suspects.empty() ? kNone : step.suspects.front();
}

// Returns whether nearly all steps of an episode were slow.
bool dense(const Episode& episode) {
  constexpr double kDense = 0.9;
  constexpr std::size_t kLong = 8;  // fewer may be part of an intermittent fault
  const std::uint32_t length = episode.last() - episode.first() + 1;
  return episode.steps.size() >= kLong && static_cast<double>(episode.steps.size()) > kDense * length;
}

void add(Episode& episode, const StepVerdict& step) {
  episode.steps.push_back(step.step);
  ++episode.suspects[first_suspect(step)];
  episode.lost += step.took - step.usual;
}

// Returns whether another rank becomes the suspect at step `at` and remains it.
bool turns(const Episode& episode, const std::vector<StepVerdict>& slow, std::size_t at, double stable) {
  if (episode.steps.size() < kTurns || episode.stable() < stable) return false;
  const std::uint32_t now = first_suspect(slow[at]);
  if (now == episode.suspect() || at + kTurns > slow.size()) return false;
  return std::all_of(slow.begin() + static_cast<std::ptrdiff_t>(at),
                     slow.begin() + static_cast<std::ptrdiff_t>(at + kTurns),
                     [&](const StepVerdict& step) { return first_suspect(step) == now; });
}

// Groups slow steps into episodes. A new episode begins where slow steps had stopped, or where for three
// steps in a row the suspect is not that of the steady episode before.
std::vector<Episode> episodes_of(const std::vector<StepVerdict>& slow, const LocateLimits& limits) {
  std::vector<Episode> episodes;
  for (std::size_t s = 0; s < slow.size(); ++s) {
    bool another = episodes.empty();
    if (!another) {
      const Episode& last = episodes.back();
      const std::uint32_t gap = slow[s].step - last.last() - 1;
      another = gap > limits.apart || (gap >= kStopped && dense(last)) || turns(last, slow, s, limits.stable);
    }
    if (another) episodes.emplace_back();
    add(episodes.back(), slow[s]);
  }
  for (Episode& episode : episodes) episode.lost /= episode.last() - episode.first() + 1;
  return episodes;
}

void add_mean(std::vector<RankStep>& mean, const std::vector<RankStep>& ranks) {
  mean.resize(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (std::size_t m = 0; m < kMeasures; ++m) mean[r].values[m] += ranks[r].values[m];
    for (std::size_t q = 0; q < mean[r].fill.size(); ++q) mean[r].fill[q] += ranks[r].fill[q];
  }
}

void divide(std::vector<RankStep>& mean, double by) {
  for (RankStep& rank : mean) {
    for (double& value : rank.values) value /= by;
    for (double& fill : rank.fill) fill /= by;
  }
}

// `from`: the first step that shows what is usual.
void add_means(const Observation& observation, std::uint32_t from, Located& located) {
  std::vector<std::uint32_t> episode_of(located.steps, kNone);
  for (std::uint32_t e = 0; e < located.episodes.size(); ++e)
    for (const std::uint32_t step : located.episodes[e].steps) episode_of[step] = e;
  RankSteps steps(observation.ranks());
  double healthy = 0;
  std::uint32_t number = 0;
  observation.each_step([&](std::uint32_t, std::span<const LightRecord> records) {
    const std::vector<RankStep>& ranks = steps.add(records);
    const std::uint32_t episode = episode_of[number++];
    if (episode == kNone && number <= from) return;
    healthy += episode == kNone;
    add_mean(episode == kNone ? located.healthy : located.episodes[episode].mean, ranks);
  });
  divide(located.healthy, healthy);
  for (Episode& episode : located.episodes) divide(episode.mean, static_cast<double>(episode.steps.size()));
}

}  // namespace

std::uint32_t Episode::suspect() const {
  return std::ranges::max_element(suspects, {}, [](const auto& suspect) { return suspect.second; })->first;
}

double Episode::stable() const {
  return static_cast<double>(suspects.at(suspect())) / static_cast<double>(steps.size());
}

bool Located::is_slow(std::uint32_t step) const {
  return std::ranges::any_of(
      episodes, [&](const Episode& episode) { return std::ranges::binary_search(episode.steps, step); });
}

Located locate(const Observation& observation, const LocateLimits& limits) {
  Located located;
  const std::vector<LightRecord> reference = observation.reference();
  Locator locator(limits, observation.ranks(), reference);
  std::vector<StepVerdict> slow;
  std::vector<double> usual;
  StepVerdict before;
  observation.each_step([&](std::uint32_t, std::span<const LightRecord> records) {
    const StepVerdict& verdict = locator.add(located.steps++, records);
    if (verdict.before_too) {
      before.usual = verdict.usual;
      before.suspects = verdict.suspects;
      slow.push_back(before);
      usual.pop_back();
    }
    if (verdict.slow) {
      slow.push_back(verdict);
    } else {
      usual.push_back(verdict.took);
    }
    before = verdict;
  });
  located.episodes = episodes_of(slow, limits);
  // The first step lacks the time that its ranks waited before it, if that is not recorded.
  const bool first_tells = !reference.empty() || usual.size() < 2;
  if (!first_tells) usual.erase(usual.begin());
  add_means(observation, first_tells ? 0 : 1, located);
  located.by_reference = usual.empty() && !reference.empty();
  located.known = !usual.empty() || !reference.empty();
  RankSteps steps(observation.ranks());
  if (located.by_reference) {
    located.healthy = steps.add(reference);
    located.usual = steps.took();
  } else if (!usual.empty()) {
    located.usual = median(std::move(usual));
  }
  return located;
}

}  // namespace a3sim
