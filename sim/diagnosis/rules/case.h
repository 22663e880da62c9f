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

// An operator of a rank beside what is usual for it, at equal work.
struct OperatorLag {
  OperatorRecord now, usual;
  double run() const { return ratio(now.run, usual.run); }
  double arithmetic() const { return ratio(now.arithmetic, usual.arithmetic); }
  // What is not arithmetic: loads, stores, waiting for memory.
  double rest() const { return ratio(now.run - now.arithmetic, usual.run - usual.arithmetic); }
  // Of its workers, in ps of the rank.
  double lag(double workers) const { return picoseconds(now.run - usual.run) / workers; }

  static double ratio(Duration now, Duration usual) {
    return usual > Duration::zero() ? picoseconds(now) / picoseconds(usual) : 1;
  }
};

// What ranks' hosts did, in ps a step and rank, less what they do in a usual step.
struct HostTime {
  double time = 0;
  std::string place;
};

using HostKey = std::pair<std::uint32_t, HostKind>;  // of a rank

// Puts of one operator in a pass from one rank to another.
struct PutsOf {
  std::uint16_t pass = 0;
  std::uint32_t op = 0, src = 0, dst = 0;
  friend auto operator<=>(const PutsOf&, const PutsOf&) = default;
};
struct Puts {
  std::vector<const TransferRecord*> now, usual;  // of recorded slow steps; of a usual one
};

// Transfers between ranks of recorded steps, beside usual ones.
struct TransferLags {
  std::map<PutsOf, Puts> puts;
  // Over the usual rates (over that of all, where these are not known), without the slowest twentieth of the puts;
  // the mean over operators by their time.
  LinkRates rates;
  double size_now = 0, size_usual = 0;  // mean bytes
};

// A slowdown that was located, with all that was analysed of it: what rules see.
struct Case {
  const Observation& of;
  const Located& located;
  const Episode& episode;
  std::vector<FullStep> full;  // slow steps of the episode that were recorded in full
  const FullStep& reference;   // empty: not known
  const RuleData& shared;

  std::vector<OperatorLag> operators;
  std::set<std::uint32_t> on_path;  // operators that the critical paths of `full` have; empty: not known
  std::map<HostKey, HostTime> host;
  // By rank, of all steps of the episode that were recorded, slow or not: the longest event of a kind, in ps.
  std::map<HostKey, double> longest_event;
  TransferLags transfers;

  double usual() const { return located.usual; }
  // Of a rank in slow steps, above what is usual for it.
  double excess(Measure measure, std::uint32_t rank) const {
    return episode.mean[rank][measure] - located.healthy[rank][measure];
  }
  double ratio(Measure measure, std::uint32_t rank) const {
    const double usual = located.healthy[rank][measure];
    return usual > 0 ? episode.mean[rank][measure] / usual : 1;
  }
  // What slow steps are longer by.
  double lag() const { return episode.lost * density(); }
  double density() const;
  double workers(CoreKind core) const { return of.machine().workers(core); }
  bool may_matter(std::uint32_t op) const { return on_path.empty() || on_path.contains(op); }
  bool recorded(std::uint32_t rank) const;
  // Where the light record of a rank stands, in the first slow step.
  std::string place(std::uint32_t rank) const { return of.place_of(episode.first(), rank); }
};

// `reference` and `shared` must outlive it.
Case make_case(const Observation& of, const Located& located, const Episode& episode,
               const FullStep& reference, const RuleData& shared);

}  // namespace a3sim
