#include "sim/diagnosis/locate/host_turns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace a3sim {
namespace {

using Kinds = std::set<HostKind>;

constexpr double kOfLost =
    0.3;  // part of a step's lost time: a device that waits for less does not wait for its host
constexpr double kOfMost = 0.3;        // part of the events that grew most: others that count beside them
constexpr double kOfWaits = 0.1;       // part of the wait that the events which grew most fill, else none did
constexpr std::size_t kMostRead = 64;  // steps

using KindTimes = std::array<double, kCountOf<HostKind>>;

// Loaders work beside the device: only the queue of batches says whether it waits for them.
bool is_of_loader(std::size_t kind) {
  const auto of = static_cast<HostKind>(kind);
  return of == HostKind::kRead || of == HostKind::kProcess || of == HostKind::kFetch ||
         of == HostKind::kOther;
}

// Returns the time of each kind of events, of the rank with most.
KindTimes times_of(const FullStep& step) {
  std::map<std::uint32_t, KindTimes> ranks;
  for (const HostRecord& event : step.host)
    ranks[event.rank][static_cast<std::size_t>(event.kind)] += picoseconds(event.length());
  KindTimes most{};
  for (const auto& [rank, times] : ranks)
    for (std::size_t k = 0; k < most.size(); ++k) most[k] = std::max(most[k], times[k]);
  return most;
}

// Returns the kinds of events that grew; none if they fill little of the time for which the device waited.
Kinds grown(const KindTimes& now, const KindTimes& usual, double waits) {
  double most = 0;
  for (std::size_t k = 0; k < now.size(); ++k)
    if (!is_of_loader(k)) most = std::max(most, now[k] - usual[k]);
  Kinds kinds;
  for (std::size_t k = 0; k < now.size(); ++k)
    if (!is_of_loader(k) && most > kOfWaits * waits && now[k] - usual[k] > kOfMost * most)
      kinds.insert(static_cast<HostKind>(k));
  return kinds;
}

const Kinds kBatch{HostKind::kFetch};    // a host waited for a batch,
const Kinds kNoBatch{HostKind::kOther};  // or did something else that was not recorded

// What hosts did in slow steps: empty where nothing that was recorded grew. Steps without an entry are not known.
class HostsSeen {
 public:
  HostsSeen(const Observation& observation, const std::map<std::uint32_t, HostBound>& bound,
            const std::vector<std::vector<StepVerdict>>& intervals) {
    std::map<std::uint32_t, double> lost;
    for (const auto& interval : intervals)
      for (const StepVerdict& step : interval) lost[step.step] = step.took - step.usual;
    const std::vector<std::uint32_t> full = observation.full_steps();
    std::map<std::uint32_t, KindTimes> times;
    for (const auto& [step, of_step] : lost) {
      const HostBound& hosts = bound.at(step);
      if (hosts.waits < kOfLost * of_step) continue;
      if (hosts.batch_missing)
        kinds_[step] = kBatch;
      else if (std::ranges::binary_search(full, step) && times.size() < kMostRead)
        times[step] = times_of(observation.full(step));
      else if (hosts.queues_seen)
        kinds_[step] = kNoBatch;
    }
    if (times.empty()) return;
    const FullStep reference = observation.reference_full();
    KindTimes usual = reference.host.empty() ? times.begin()->second : times_of(reference);
    if (reference.host.empty())
      for (const auto& [step, of_step] : times)
        for (std::size_t k = 0; k < usual.size(); ++k) usual[k] = std::min(usual[k], of_step[k]);
    // Compared with slow steps alone, the fastest of them never grew.
    for (const auto& [step, of_step] : times)
      if (Kinds kinds = grown(of_step, usual, bound.at(step).waits);
          !kinds.empty() || !reference.host.empty())
        kinds_[step] = std::move(kinds);
  }

  const Kinds* of(std::uint32_t step) const {
    const auto found = kinds_.find(step);
    return found == kinds_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::uint32_t, Kinds> kinds_;
};

struct Known {
  std::size_t at = 0;  // position in the interval
  const Kinds* kinds = nullptr;
};

bool has(std::span<const Known> steps, const Kinds& kinds) {
  return std::ranges::any_of(steps, [&](const Known& step) { return *step.kinds == kinds; });
}

// Returns the position in (from, to] before which most usual steps lie, or, without any, before which the lost time changes most.
std::size_t cut_between(const std::vector<StepVerdict>& steps, std::size_t from, std::size_t to) {
  std::size_t best = to;
  std::pair<std::uint32_t, double> most{0, -1};
  for (std::size_t at = from + 1; at <= to; ++at) {
    const StepVerdict &a = steps[at - 1], &b = steps[at];
    const std::pair<std::uint32_t, double> here{b.step - a.step - 1,
                                                std::abs((b.took - b.usual) - (a.took - a.usual))};
    if (here <= most) continue;
    most = here;
    best = at;
  }
  return best;
}

// Returns the positions before which an interval is cut.
std::vector<std::size_t> cuts_of(const std::vector<StepVerdict>& steps, const HostsSeen& seen) {
  std::vector<Known> known;
  for (std::size_t at = 0; at < steps.size(); ++at)
    if (const Kinds* kinds = seen.of(steps[at].step)) known.push_back({at, kinds});
  // Beside recorded steps of other kinds, steps that were not recorded may be of any of these.
  const auto is_of_batches = [](const Known& step) {
    return *step.kinds == kBatch || *step.kinds == kNoBatch;
  };
  if (!std::ranges::all_of(known, is_of_batches))
    std::erase_if(known, [](const Known& step) { return *step.kinds == kNoBatch; });
  std::vector<std::size_t> cuts;
  std::size_t begin = 0;
  for (std::size_t k = 1; k < known.size(); ++k) {
    if (*known[k].kinds == *known[k - 1].kinds) continue;
    const std::span<const Known> before(known.begin() + static_cast<std::ptrdiff_t>(begin),
                                        known.begin() + static_cast<std::ptrdiff_t>(k)),
        behind(known.begin() + static_cast<std::ptrdiff_t>(k), known.end());
    if (has(behind, *known[k - 1].kinds) || has(before, *known[k].kinds)) continue;
    const std::size_t cut = cut_between(steps, known[k - 1].at, known[k].at);
    const bool pause = steps[cut].step - steps[cut - 1].step > kPauseOfTurn;
    if (!pause && (before.size() < 2 || behind.size() < 2)) continue;
    cuts.push_back(cut);
    begin = k;
  }
  return cuts;
}

// Divides an interval before these positions, ascending.
void divide_before(std::vector<std::size_t> cuts, const std::vector<StepVerdict>& interval,
                   std::vector<std::vector<StepVerdict>>& into) {
  std::size_t begin = 0;
  cuts.push_back(interval.size());
  for (const std::size_t cut : cuts) {
    into.emplace_back(interval.begin() + static_cast<std::ptrdiff_t>(begin),
                      interval.begin() + static_cast<std::ptrdiff_t>(cut));
    begin = cut;
  }
}

}  // namespace

void divide_at(const std::vector<Turn>& turns, std::vector<std::vector<StepVerdict>>& intervals) {
  std::vector<std::vector<StepVerdict>> divided;
  for (const std::vector<StepVerdict>& interval : intervals) {
    const auto position = [&](std::uint32_t step) {
      return static_cast<std::size_t>(std::ranges::find(interval, step, &StepVerdict::step) -
                                      interval.begin());
    };
    std::vector<std::size_t> cuts;
    for (const auto& [before, behind] : turns)
      if (position(before) < interval.size() && position(behind) < interval.size())
        cuts.push_back(cut_between(interval, position(before), position(behind)));
    divide_before(std::move(cuts), interval, divided);
  }
  intervals = std::move(divided);
}

void divide_by_hosts(const Observation& observation, const std::map<std::uint32_t, HostBound>& bound,
                     std::vector<std::vector<StepVerdict>>& intervals) {
  const HostsSeen seen(observation, bound, intervals);
  std::vector<std::vector<StepVerdict>> divided;
  for (const std::vector<StepVerdict>& interval : intervals)
    divide_before(cuts_of(interval, seen), interval, divided);
  intervals = std::move(divided);
}

}  // namespace a3sim
