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

// The input of a rule for time that every step loses: a step without faults and noise if there is one,
// otherwise the mean of usual steps. There is no earlier step to compare with, so rules compare ranks with
// each other, and the work with the limits of the machine.
struct SteadyState {
  // An operator of a rank: means over its recorded steps, in ps.
  struct Operator {
    double run = 0, arithmetic = 0;  // sums over its workers
    // Time that the operator adds to the rank. A matrix operator adds its share of the cube cores' time;
    // another operator adds the time in which no matrix operator ran beside it.
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
  // The parts of a rank's step, in ps: computing and communicating at once, only one of them, and the total.
  struct Lanes {
    double overlap = 0, compute = 0, communication = 0, total = 0;
  };

  const Observation& observation;
  const RuleData& shared;
  std::uint32_t step = kNone;  // one of the usual steps; kNone for the step without faults and noise
  std::vector<RankStep> mean;  // one entry per rank: means over the usual steps
  double took = 0;             // ps per step
  std::vector<FullStep> full;  // usual steps that were recorded in full
  // The compute operators of recorded ranks. Ranks of one operator and pass are neighbours.
  std::map<Key, Operator> operators;
  std::set<std::uint32_t> on_path;  // operators on the critical paths of `full`; empty if not known

  // Returns whether the operator is on a critical path, or the paths are not known.
  bool may_matter(std::uint32_t op) const { return on_path.empty() || on_path.contains(op); }
  // Returns how the rank's step divides, or nullopt if the rank was not recorded.
  std::optional<Lanes> lanes(std::uint32_t rank) const;

  double workers(CoreKind core) const { return observation.machine().workers(core); }
  // Returns the value of every rank; ranks that were not recorded get the mean of the recorded ones.
  std::vector<double> for_all_ranks(const std::map<std::uint32_t, double>& recorded) const;
  // Returns how much shorter a step would be if each rank finished its own work `sooner` ps earlier. The rank
  // that is then last decides. Times are not added over ranks, because they work at the same time.
  double gain(const std::vector<double>& sooner) const;
  // Returns the same for computing: a rank cannot finish before its transfers do.
  double gain_of_computing(std::vector<double> sooner) const;
  // Returns where a light record of the rank is stored.
  RecordPlace place(std::uint32_t rank) const { return observation.place_of(step, rank); }
};

// Analyses the usual steps. `observation` and `shared` must outlive the result.
SteadyState make_steady_state(const Observation& observation, std::uint32_t step, std::vector<RankStep> mean,
                              double took, std::vector<FullStep> full, const RuleData& shared);

}  // namespace a3sim
