#include "sim/diagnosis/locate/episodes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "sim/core/statistics.h"
#include "sim/diagnosis/locate/slow_intervals.h"

namespace a3sim {
namespace {

// Limits of the full steps that rules see of an episode: the number of first ones, of those per suspect, and
// of all.
constexpr std::size_t kFirstFull = 4, kOfSuspect = 2, kMostFull = 10;

std::uint32_t first_suspect(const StepVerdict& step) {
  return step.suspects.empty() ? kNone : step.suspects.front();
}

Episode episode_of(const std::vector<StepVerdict>& slow) {
  Episode episode;
  for (const StepVerdict& step : slow) {
    episode.steps.push_back(step.step);
    ++episode.suspects[first_suspect(step)];
    episode.lost_each.push_back(step.took - step.usual);
    episode.lost += episode.lost_each.back();
  }
  episode.lost /= episode.last() - episode.first() + 1;
  return episode;
}

void find_last_recorded(const std::vector<std::uint32_t>& full, Episode& episode) {
  constexpr std::size_t kLast = 4;
  for (std::size_t s = episode.steps.size(); s > 0 && episode.last_recorded.size() < kLast; --s) {
    const std::uint32_t step = episode.steps[s - 1];
    if (std::ranges::binary_search(full, step) && !std::ranges::binary_search(episode.recorded, step))
      episode.last_recorded.push_back(step);
  }
  std::ranges::reverse(episode.last_recorded);
}

// Chooses the full steps of each episode: the first ones, and some for each of its suspects. An episode
// without full steps borrows those of the episode with the same suspect whose lost time is nearest, if it is
// near.
void find_recorded(const Observation& observation, const std::vector<std::vector<StepVerdict>>& intervals,
                   std::vector<Episode>& episodes) {
  constexpr double kNear = 0.5;
  const std::vector<std::uint32_t> full = observation.full_steps();
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    std::map<std::uint32_t, std::size_t> seen;  // by first suspect
    // Of a fault that grows, the last records show what it has become.
    std::vector<StepVerdict> order = intervals[e];
    if (episodes[e].grows()) std::ranges::reverse(order);
    for (const StepVerdict& step : order) {
      if (!std::ranges::binary_search(full, step.step)) continue;
      std::size_t& of_suspect = seen[first_suspect(step)];
      if (episodes[e].recorded.size() >= (of_suspect < kOfSuspect ? kMostFull : kFirstFull)) continue;
      episodes[e].recorded.push_back(step.step);
      ++of_suspect;
    }
    std::ranges::sort(episodes[e].recorded);
    find_last_recorded(full, episodes[e]);
  }
  for (Episode& episode : episodes) {
    double least = kNear;
    if (!episode.recorded.empty()) continue;
    for (const Episode& other : episodes) {
      if (other.borrowed || other.recorded.empty() || other.suspect() != episode.suspect()) continue;
      const double apart = std::abs(other.lost - episode.lost) / std::max(other.lost, episode.lost);
      if (apart >= least) continue;
      least = apart;
      episode.recorded = other.recorded;
      episode.borrowed = true;
    }
  }
}

void add_mean(std::vector<RankStep>& mean, const std::vector<RankStep>& ranks) {
  mean.resize(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (std::size_t m = 0; m < kMeasures; ++m) mean[r].values[m] += ranks[r].values[m];
    for (std::size_t q = 0; q < mean[r].fill.size(); ++q) mean[r].fill[q] += ranks[r].fill[q];
  }
}

void raise_to(std::vector<RankStep>& most, const std::vector<RankStep>& ranks) {
  most.resize(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r)
    for (std::size_t m = 0; m < kMeasures; ++m)
      most[r].values[m] = std::max(most[r].values[m], ranks[r].values[m]);
}

void divide(std::vector<RankStep>& mean, double by) {
  for (RankStep& rank : mean) {
    for (double& value : rank.values) value /= by;
    for (double& fill : rank.fill) fill /= by;
  }
}

// Returns whether ranks had as many rows and were as busy in the steps that an episode borrows as in its own: else the
// records show another fault.
bool is_alike(const Episode& episode) {
  constexpr std::pair<Measure, double> kLimits[] = {{Measure::kRows, 0.02}, {Measure::kAic, 0.1}};
  for (std::size_t r = 0; r < episode.mean.size(); ++r)
    for (const auto& [measure, limit] : kLimits)
      if (std::abs(episode.seen[r][measure] - episode.mean[r][measure]) > limit * episode.mean[r][measure])
        return false;
  return true;
}

std::vector<float> host_waits(const std::vector<RankStep>& ranks) {
  std::vector<float> waits;
  for (const RankStep& rank : ranks) waits.push_back(static_cast<float>(host_wait(rank)));
  return waits;
}

// `from` is the first step that shows what is usual.
void add_means(const Observation& observation, std::uint32_t from, Located& located) {
  std::map<std::uint32_t, std::vector<Episode*>> seen_by;  // by step that was recorded in full
  std::map<std::uint32_t, Episode*> last_of;
  for (Episode& episode : located.episodes) {
    for (const std::uint32_t step : episode.recorded) seen_by[step].push_back(&episode);
    for (const std::uint32_t step : episode.last_recorded) last_of[step] = &episode;
  }
  std::vector<std::uint32_t> episode_of(located.steps, kNone);
  for (std::uint32_t e = 0; e < located.episodes.size(); ++e)
    for (const std::uint32_t step : located.episodes[e].steps) episode_of[step] = e;
  constexpr std::size_t kMostWaits = 4'000'000;  // of ranks in slow steps
  std::size_t waits = 0;
  RankSteps steps(observation.ranks());
  double healthy = 0;
  std::uint32_t number = 0;
  observation.each_step([&](std::uint32_t, std::span<const LightRecord> records) {
    const std::vector<RankStep>& ranks = steps.add(records);
    if (const auto seen = seen_by.find(number); seen != seen_by.end())
      for (Episode* episode : seen->second) {
        add_mean(episode->seen, ranks);
        episode->seen_each.push_back(ranks);
      }
    if (const auto last = last_of.find(number); last != last_of.end())
      last->second->last_seen.push_back(ranks);
    const std::uint32_t episode = episode_of[number++];
    if (episode == kNone && number <= from) return;
    healthy += episode == kNone;
    add_mean(episode == kNone ? located.healthy : located.episodes[episode].mean, ranks);
    if (episode == kNone) return;
    raise_to(located.episodes[episode].most, ranks);
    waits += ranks.size();
    if (waits <= kMostWaits) located.episodes[episode].host_waits.push_back(host_waits(ranks));
  });
  divide(located.healthy, healthy);
  for (Episode& episode : located.episodes) {
    if (waits > kMostWaits) episode.host_waits.clear();
    divide(episode.mean, static_cast<double>(episode.steps.size()));
    divide(episode.seen, static_cast<double>(episode.recorded.size()));
    if (episode.borrowed && !is_alike(episode)) {
      episode.recorded.clear();
      episode.seen_each.clear();
      episode.seen.clear();
      episode.borrowed = false;
    }
    if (episode.seen.empty()) episode.seen = episode.mean;
  }
}

HostBound host_bound(const std::vector<RankStep>& ranks) {
  constexpr double kFilled = 50;  // percent
  HostBound bound;
  for (const RankStep& rank : ranks) {
    bound.waits = std::max(bound.waits, host_wait(rank));
    bound.queues_seen |= rank.fill[0] >= 0;
    bound.batch_missing |= rank.fill[0] >= 0 && rank.fill[0] < kFilled;
  }
  return bound;
}

// Returns the first of the last steps if these are faster for good than the steps before them; otherwise the
// number of steps. Divides the steps where the sum of squares is smallest.
std::size_t faster_from(const std::vector<double>& took, double shift) {
  constexpr std::size_t kLeast = 4, kBefore = 8;
  if (took.size() < 2 * kLeast) return took.size();
  double sum = 0, all = 0;
  for (const double time : took) all += time;
  std::size_t best = took.size();
  double most = 0;
  for (std::size_t at = 0; at + kLeast <= took.size(); ++at) {
    const auto left = static_cast<double>(at), right = static_cast<double>(took.size() - at);
    const double gain = at < kLeast ? 0 : sum * sum / left + (all - sum) * (all - sum) / right;
    if (gain > most) {
      most = gain;
      best = at;
    }
    sum += took[at];
  }
  if (best == took.size()) return best;
  const auto middle = took.begin() + static_cast<std::ptrdiff_t>(best);
  const auto from = middle - static_cast<std::ptrdiff_t>(std::min(best, kBefore));
  return median({from, middle}) > shift * median({middle, took.end()}) ? best : took.size();
}

// Returns the longest step of the faster ones of two kinds of steps, or 0 if there are not two kinds. The kinds are the two
// sets with the smallest sum of squares. They lie apart by more than each of them spreads, and each has many steps.
double faster_kind(std::vector<double> took, double shift) {
  constexpr std::size_t kLeast = 4;
  constexpr double kPart = 0.2;  // of all steps
  constexpr double kSpreads = 2;
  std::ranges::sort(took);
  double sum = 0, all = 0, most = 0;
  for (const double time : took) all += time;
  std::size_t best = 0;
  for (std::size_t at = 1; at < took.size(); ++at) {
    sum += took[at - 1];
    const auto left = static_cast<double>(at), right = static_cast<double>(took.size() - at);
    const double gain = sum * sum / left + (all - sum) * (all - sum) / right;
    if (gain <= most) continue;
    most = gain;
    best = at;
  }
  const std::size_t least =
      std::max(kLeast, static_cast<std::size_t>(kPart * static_cast<double>(took.size())));
  if (best < least || took.size() - best < least) return 0;
  const auto spread = [&](std::size_t from, std::size_t to) {  // without a tenth at each end
    const std::size_t tenth = (to - from) / 10;
    return took[to - 1 - tenth] - took[from + tenth];
  };
  const double apart = took[best] - took[best - 1];
  const bool two = took[best] > shift * took[best - 1] &&
                   apart > kSpreads * std::max(spread(0, best), spread(best, took.size()));
  return two ? took[best - 1] : 0;
}

// Shows the locator the steps in which the job has become faster for good, or the faster ones where every few steps another
// kind follows.
void look_back(const Observation& observation, const LocateLimits& limits, Locator& locator) {
  std::vector<double> took;
  RankSteps first(observation.ranks());
  observation.each_step([&](std::uint32_t, std::span<const LightRecord> records) {
    first.add(records);
    took.push_back(first.took());
  });
  const std::size_t from = faster_from(took, limits.shift);
  // The first step may lack the time before it.
  const double longest =
      from < took.size() || took.empty() ? 0 : faster_kind({took.begin() + 1, took.end()}, limits.shift);
  if (from == took.size() && longest == 0) return;
  RankSteps steps(observation.ranks());
  std::size_t number = 0;
  observation.each_step([&](std::uint32_t, std::span<const LightRecord> records) {
    const std::vector<RankStep>& ranks = steps.add(records);
    const bool usual = longest > 0 ? number > 0 && steps.took() <= longest : number >= from;
    ++number;
    if (usual) locator.show_usual(steps.took(), ranks, steps.own());
  });
}

}  // namespace

std::uint32_t Episode::suspect() const {
  return std::ranges::max_element(suspects, {}, [](const auto& suspect) { return suspect.second; })->first;
}

double Episode::stable() const {
  return static_cast<double>(suspects.at(suspect())) / static_cast<double>(steps.size());
}

bool Episode::grows() const {
  constexpr std::size_t kQuarters = 4, kLeast = 3;  // slow steps of a quarter
  constexpr double kGrown = 1.5;
  if (lost_each.size() < kQuarters * kLeast) return false;
  std::array<double, kQuarters> quarters{};
  for (std::size_t q = 0; q < kQuarters; ++q)
    quarters[q] =
        median({lost_each.begin() + static_cast<std::ptrdiff_t>(q * lost_each.size() / kQuarters),
                lost_each.begin() + static_cast<std::ptrdiff_t>((q + 1) * lost_each.size() / kQuarters)});
  return std::ranges::is_sorted(quarters) && quarters.back() > kGrown * std::max(0.0, quarters.front());
}

bool Located::is_slow(std::uint32_t step) const {
  return std::ranges::any_of(
      episodes, [&](const Episode& episode) { return std::ranges::binary_search(episode.steps, step); });
}

Located locate(const Observation& observation, const LocateLimits& limits, const std::vector<Turn>& turns) {
  Located located;
  const std::vector<LightRecord> reference = observation.reference();
  Locator locator(limits, observation.ranks(), reference);
  std::vector<StepVerdict> slow;
  std::vector<double> usual;
  StepVerdict before;
  RankSteps measured(observation.ranks());
  std::map<std::uint32_t, HostBound> bound;
  HostBound bound_before;
  if (reference.empty()) look_back(observation, limits, locator);
  observation.each_step([&](std::uint32_t, std::span<const LightRecord> records) {
    const StepVerdict& verdict = locator.add(located.steps++, records);
    const HostBound hosts = host_bound(measured.add(records));
    if (verdict.before_too) bound[before.step] = bound_before;
    if (verdict.slow) bound[verdict.step] = hosts;
    bound_before = hosts;
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
  std::vector<std::vector<StepVerdict>> intervals = slow_intervals(slow, limits);
  divide_by_hosts(observation, bound, intervals);
  divide_at(turns, intervals);
  for (const std::vector<StepVerdict>& interval : intervals) located.episodes.push_back(episode_of(interval));
  find_recorded(observation, intervals, located.episodes);
  // Without a record of the time before it, the first step lacks the time that its ranks waited.
  const bool first_tells = !reference.empty() || usual.size() < 2 || located.is_slow(0);
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
