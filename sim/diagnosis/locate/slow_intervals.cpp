#include "sim/diagnosis/locate/slow_intervals.h"

#include <algorithm>
#include <map>
#include <span>

#include "sim/core/ids.h"
#include "sim/core/statistics.h"

namespace a3sim {
namespace {

using Verdicts = std::span<const StepVerdict>;

constexpr std::size_t kMany = 8;     // slow steps that show to which level the lost time has moved
constexpr std::size_t kTurns = 3;    // slow steps in a row that begin another interval
constexpr std::uint32_t kEnded = 4;  // steps without a slow one that end a dense interval

std::uint32_t leading_suspect(const StepVerdict& step) {
  return step.suspects.empty() ? kNone : step.suspects.front();
}

constexpr std::size_t kLong = 8;  // fewer slow steps may be part of an intermittent fault

// Returns whether nearly all steps of an interval were slow.
bool dense(Verdicts steps) {
  constexpr double kDense = 0.9;
  const std::uint32_t length = steps.back().step - steps.front().step + 1;
  return steps.size() >= kLong && static_cast<double>(steps.size()) > kDense * length;
}

// Returns whether steps begin with many that are all slow: a fault that stays, behind one that comes and goes.
bool starts_dense(Verdicts steps) {
  return steps.size() >= kLong && steps[kLong - 1].step - steps.front().step + 1 == kLong;
}

// Returns the rank that was the first suspect in most steps, if this is at least the part `stable` of them.
// Otherwise returns kUnstable, because kNone stands for no suspect.
constexpr std::uint32_t kUnstable = kNone - 1;
std::uint32_t stable_suspect(Verdicts steps, double stable) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const StepVerdict& step : steps) ++counts[leading_suspect(step)];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  return static_cast<double>(most->second) < stable * static_cast<double>(steps.size()) ? kUnstable
                                                                                        : most->first;
}

bool is_suspect(const StepVerdict& step, std::uint32_t rank) {
  return std::ranges::find(step.suspects, rank) != step.suspects.end();
}

// Returns whether slow steps follow one another without a usual one between them.
bool adjacent(Verdicts steps) { return steps.back().step - steps.front().step + 1 == steps.size(); }

// Returns whether another rank becomes the first suspect with `next` and remains it, or others do in turn while
// the one before is no suspect any more.
bool turns(Verdicts before, Verdicts next, double stable) {
  if (before.size() < kTurns || next.size() < kTurns) return false;
  const std::uint32_t suspect = stable_suspect(before, stable), now = leading_suspect(next.front());
  if (suspect == kUnstable || now == suspect) return false;
  const Verdicts first = next.first(kTurns);
  if (std::ranges::all_of(first, [&](const StepVerdict& step) { return leading_suspect(step) == now; }))
    return true;
  return suspect != kNone && adjacent(first) && std::ranges::all_of(first, [&](const StepVerdict& step) {
           return !step.suspects.empty() && !is_suspect(step, suspect);
         });
}

// Returns whether the suspect of `before` is none in any later slow step, and another rank, which was none before, is
// the first one: one fault that comes and goes has ended, and another has begun.
bool leaves(Verdicts before, Verdicts rest, double stable) {
  if (before.size() < kTurns) return false;
  const std::uint32_t suspect = stable_suspect(before, stable), now = leading_suspect(rest.front());
  if (suspect == kUnstable || suspect == kNone || now == kNone) return false;
  return std::ranges::none_of(before, [&](const StepVerdict& step) { return is_suspect(step, now); }) &&
         std::ranges::none_of(rest, [&](const StepVerdict& step) {
           return step.suspects.empty() || is_suspect(step, suspect);
         });
}

// Returns whether a rank is suspect in all steps of `here` and in none of `there`.
bool suspects_more(Verdicts here, Verdicts there) {
  return std::ranges::any_of(here.front().suspects, [&](std::uint32_t rank) {
    const auto names = [&](const StepVerdict& step) { return is_suspect(step, rank); };
    return std::ranges::all_of(here, names) && std::ranges::none_of(there, names);
  });
}

double lost_of(const StepVerdict& step) { return step.took - step.usual; }

// Returns whether the lost time moves to another level: the two sides differ by more than each varies.
bool steps_to_another_level(Verdicts before, Verdicts next, double share) {
  constexpr double kLevel = 0.25;  // part of the lower level
  std::vector<double> a, b;
  for (const StepVerdict& step : before) a.push_back(lost_of(step));
  for (const StepVerdict& step : next) b.push_back(lost_of(step));
  const auto [a_least, a_most] = std::ranges::minmax(a);
  const auto [b_least, b_most] = std::ranges::minmax(b);
  const double apart = std::max(b_least - a_most, a_least - b_most);
  const double low = std::max(0.0, std::min(median(a), median(b)));
  return apart > std::max(a_most - a_least, b_most - b_least) &&
         apart > std::max(share * next.front().usual, kLevel * low);
}

// Separates steps that lose much more, again and again, from the others, which lose about the same: a fault
// that comes and goes from one that stays.
void part(std::vector<StepVerdict> steps, double share, std::vector<std::vector<StepVerdict>>& into) {
  constexpr double kLevel = 0.25;  // part of the lower level
  constexpr std::size_t kLeastHigh = 2, kLeastLow = 4;
  std::vector<double> lost;
  for (const StepVerdict& step : steps) lost.push_back(lost_of(step));
  std::ranges::sort(lost);
  std::size_t at = lost.size();  // the first of the steps that lose more
  for (std::size_t i = std::max(kLeastLow, (lost.size() + 1) / 2); i + kLeastHigh <= lost.size(); ++i) {
    const double apart = lost[i] - lost[i - 1];
    if (apart < lost[i - 1] - lost.front() ||
        apart < std::max(share * steps.front().usual, kLevel * std::max(0.0, lost[i - 1])))
      continue;
    at = i;
    break;
  }
  if (at == lost.size()) {
    into.push_back(std::move(steps));
    return;
  }
  const double limit = (lost[at - 1] + lost[at]) / 2;
  std::vector<StepVerdict> low, high;
  for (StepVerdict& step : steps) (lost_of(step) > limit ? high : low).push_back(std::move(step));
  into.push_back(std::move(low));
  part(std::move(high), share, into);
}

// Divides consecutive slow steps where they change for good.
void divide(Verdicts steps, const LocateLimits& limits, std::vector<std::vector<StepVerdict>>& into) {
  std::size_t begin = 0;
  for (std::size_t at = kTurns; at + kTurns <= steps.size(); ++at) {
    if (at < begin + kTurns) continue;
    const Verdicts both = steps.subspan(at - kTurns, 2 * kTurns);
    const Verdicts before = both.first(kTurns), next = both.last(kTurns);
    // Where usual steps lie between slow ones, single steps may lose more: all of them have to.
    const bool level = adjacent(both)
                           ? steps_to_another_level(before, next, limits.sure_share)
                           : steps_to_another_level(steps.subspan(begin, at - begin),
                                                    steps.subspan(at, std::min(kMany, steps.size() - at)),
                                                    limits.sure_share);
    if (!level && !adjacent(both)) continue;
    if (!level && !suspects_more(before, next) && !suspects_more(next, before)) continue;
    part(
        {steps.begin() + static_cast<std::ptrdiff_t>(begin), steps.begin() + static_cast<std::ptrdiff_t>(at)},
        limits.sure_share, into);
    begin = at;
  }
  part({steps.begin() + static_cast<std::ptrdiff_t>(begin), steps.end()}, limits.sure_share, into);
}

// Returns the position with which the next interval begins, if steps from `at` on are of another fault: slow steps that lie directly
// before them, and far behind the ones before, are of the other one, too.
std::size_t begin_of_next(const std::vector<StepVerdict>& slow, std::size_t begin, std::size_t at) {
  const auto pause = [&](std::size_t s) { return slow[s].step - slow[s - 1].step - 1; };
  for (std::size_t s = at - 1; s > begin && at - s < kTurns && pause(s + 1) < kEnded; --s)
    if (pause(s) >= kEnded && pause(s) > 2 * pause(s + 1)) return s;
  return at;
}

}  // namespace

std::vector<std::vector<StepVerdict>> slow_intervals(const std::vector<StepVerdict>& slow,
                                                     const LocateLimits& limits) {
  std::vector<std::vector<StepVerdict>> intervals;
  std::size_t begin = 0;
  for (std::size_t s = 1; s <= slow.size(); ++s) {
    const Verdicts last = Verdicts(slow).subspan(begin, s - begin);
    bool another = s == slow.size();
    if (!another) {
      const std::uint32_t gap = slow[s].step - last.back().step - 1;
      const Verdicts next = Verdicts(slow).subspan(s);
      another = gap > limits.apart || (gap >= kEnded && (dense(last) || starts_dense(next))) ||
                turns(last, next, limits.stable) || leaves(last, next, limits.stable);
    }
    if (!another) continue;
    const std::size_t next = s == slow.size() ? s : begin_of_next(slow, begin, s);
    divide(last.first(next - begin), limits, intervals);
    begin = next;
  }
  return intervals;
}

}  // namespace a3sim
