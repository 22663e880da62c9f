#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/diagnosis/locate/rank_step.h"
#include "sim/diagnosis/rules/rule_data.h"
#include "traces/observation.h"

namespace a3sim {

// A step like any other: one without faults and noise where that is known, else what is usual. Rules are asked what
// every step loses: there is nothing before to compare with, but ranks with each other, and work with what the
// machine allows.
struct Standing {
  // An operator of a rank: means of its recorded steps, in ps.
  struct Operator {
    double run = 0, arithmetic = 0;  // of its workers, summed
    // Of the rank: on the cores of matrices its part of their time; on others, while it ran and no matrix operator did.
    double exposed = 0;
    double operations = 0, hbm_bytes = 0, l2_bytes = 0;
    double steps = 0;
    const OperatorRecord* one = nullptr;
    double rest() const { return run - arithmetic; }
  };
  struct Key {
    std::uint16_t pass = 0;
    std::uint32_t op = 0, rank = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  // What a rank's lanes do, in ps of a step: computing beside communication, only one of them, all.
  struct Lanes {
    double overlap = 0, compute = 0, communication = 0, total = 0;
  };

  const Observation& of;
  const RuleData& shared;
  std::uint32_t step = kNone;  // one of the steps; kNone: that without faults and noise
  std::vector<RankStep> mean;  // by rank, of all of them
  double took = 0;             // ps, each
  std::vector<FullStep> full;  // those that were recorded
  // That compute, of recorded ranks; of one operator in one pass, ranks stand together.
  std::map<Key, Operator> operators;
  std::set<std::uint32_t> on_path;  // operators that the critical paths of `full` have; empty: not known

  // Whether the critical path of its steps has an operator; if the path is not known, it may.
  bool may_matter(std::uint32_t op) const { return on_path.empty() || on_path.contains(op); }
  // None: the rank was not recorded.
  std::optional<Lanes> lanes(std::uint32_t rank) const;

  double workers(CoreKind core) const { return of.machine().workers(core); }
  // By rank, what recorded ranks have; of those that were not recorded their mean.
  std::vector<double> of_all(const std::map<std::uint32_t, double>& recorded) const;
  // What a step would be shorter by, were each rank done by `sooner` ps sooner with its own work: the one that is last
  // then decides. No sum over ranks: they work at the same time.
  double gain(const std::vector<double>& sooner) const;
  // The same of what computing loses: no rank is done before its transfers are.
  double gain_of_computing(std::vector<double> sooner) const;
  // Where a light record of the rank stands.
  std::string place(std::uint32_t rank) const { return of.place_of(step, rank); }
};

// The analyses of what is known of the steps; `of` and `shared` must outlive it.
Standing make_standing(const Observation& of, std::uint32_t step, std::vector<RankStep> mean, double took,
                       std::vector<FullStep> full, const RuleData& shared);

}  // namespace a3sim
