#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/diagnosis/locate/episodes.h"
#include "sim/diagnosis/rules/link_rates.h"
#include "sim/diagnosis/rules/rule_data.h"
#include "traces/observation.h"

namespace a3sim {

// An operator of a rank in a slow step, and the same operator in a usual step with equal work. If the work is not equal,
// `usual` takes what it would at least: as long as with less work, or in proportion to more.
struct OperatorLag {
  OperatorRecord now, usual;
  bool equal = true;  // equal work
  double run() const { return ratio(now.run, usual.run); }
  double arithmetic() const { return ratio(now.arithmetic, usual.arithmetic); }
  // Returns the ratio of the remaining time: loads, stores, and waiting for memory.
  double rest() const { return ratio(now.run - now.arithmetic, usual.run - usual.arithmetic); }
  // Returns the clock relative to the usual one; 1 if one of them was not recorded.
  double clock() const {
    const auto a = static_cast<double>(now.clock), b = static_cast<double>(usual.clock);
    return a > 0 && b > 0 ? a / b : 1;
  }
  // Returns the time that the rank lost, in ps, if `workers` workers share the operator.
  double lag(double workers) const { return picoseconds(now.run - usual.run) / workers; }

  static double ratio(Duration now, Duration usual) {
    return usual > Duration::zero() ? picoseconds(now) / picoseconds(usual) : 1;
  }
};

// Host time of a rank in a slow step minus that in a usual step, in ps, and a record that shows it.
struct HostTime {
  double time = 0;
  RecordPlace place;
};

using HostKey = std::pair<std::uint32_t, HostKind>;  // rank and kind

// Identifies the puts of one operator in a pass from one rank to another.
struct PutsKey {
  std::uint16_t pass = 0;
  std::uint32_t op = 0, src = 0, dst = 0;
  friend auto operator<=>(const PutsKey&, const PutsKey&) = default;
};
struct Puts {
  std::vector<const TransferRecord*> now, usual;  // puts of recorded slow steps, and of a usual step
};

// Compares the transfers between ranks in recorded slow steps with those of a usual step.
struct TransferLags {
  std::map<PutsKey, Puts> puts;
  // Rates relative to the usual ones, or to those of healthy ranks if the usual ones are not known. Leaves out the
  // slowest twentieth of the puts, and averages operators by their time.
  LinkRates rates;
  double size_now = 0, size_usual = 0;  // mean bytes of a put
};

// The input of a rule: a located slowdown and its analyses.
struct Slowdown {
  const Observation& observation;
  const Located& located;
  const Episode& episode;
  std::vector<FullStep> full;  // slow steps of the episode that were recorded in full
  const FullStep& reference;   // a usual step; empty if not known
  const RuleData& shared;

  std::vector<OperatorLag> operators;
  std::set<std::uint32_t> on_path;  // operators on the critical paths of `full`; empty if not known
  std::map<HostKey, HostTime> host;
  // The longest host event of each rank and kind, in ps, over all recorded steps of the episode, slow or not.
  std::map<HostKey, double> longest_event;
  TransferLags transfers;

  double usual() const { return located.usual; }
  // Returns how much a measure of a rank exceeds its usual value in the slow steps that were recorded in
  // full, or in all slow steps if none was. What rules compare it with was measured in the same steps.
  double excess(Measure measure, std::uint32_t rank) const {
    return episode.seen[rank][measure] - located.healthy[rank][measure];
  }
  double ratio(Measure measure, std::uint32_t rank) const {
    const double usual = located.healthy[rank][measure];
    return usual > 0 ? episode.seen[rank][measure] / usual : 1;
  }
  // Returns the largest growth of a rank's own time, at least 1 ps. Causes explain parts of it.
  double own_lag() const;
  // Returns how much longer than usual a slow step is, in ps.
  double lag() const { return episode.lost * density(); }
  double density() const;
  double workers(CoreKind core) const { return observation.machine().workers(core); }
  bool may_matter(std::uint32_t op) const { return on_path.empty() || on_path.contains(op); }
  bool recorded(std::uint32_t rank) const;
  // Returns where the rank's light record of the first slow step is stored.
  RecordPlace place(std::uint32_t rank) const { return observation.place_of(episode.first(), rank); }
};

// Analyses an episode. All arguments must outlive the result.
Slowdown make_slowdown(const Observation& observation, const Located& located, const Episode& episode,
                       const FullStep& reference, const RuleData& shared);

// Returns an episode of one of the slow steps alone, with what was seen of its ranks.
Episode one_step(const Episode& all, std::uint32_t step, const std::vector<RankStep>& seen);
// Analyses such an episode, which must outlive the result, beside the one that it is of.
Slowdown make_slowdown(const Slowdown& all, const Episode& one, FullStep full);

}  // namespace a3sim
