#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "traces/locate/rank_step.h"
#include "traces/observation.h"
#include "traces/rules/rule_data.h"

namespace a3sim {

// The middle one of some numbers, the mean of the two in the middle. There is one.
double middle_of(std::vector<double> values);

// A step like any other: one without faults and noise where that is known, else what is usual. Rules are asked what every
// step loses: there is nothing before to compare with, but ranks with each other, and work with what the machine allows.
class Standing {
 public:
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

  // `mean`: by rank, of steps that take `took` ps, of which `step` is one (kNone: that without faults and noise).
  // `full`: recorded ones like them. `shared` must outlive it.
  Standing(const Observation& of, std::uint32_t step, std::vector<RankStep> mean, double took,
           std::vector<FullStep> full, const RuleData& shared);
  Standing(const Standing&) = delete;
  Standing& operator=(const Standing&) = delete;

  const Observation& of() const { return of_; }
  const RuleData& shared() const { return shared_; }
  const std::vector<RankStep>& mean() const { return mean_; }
  double took() const { return took_; }
  const std::vector<FullStep>& full() const { return full_; }
  // Whether the critical path of its steps has an operator; if the path is not known, it may.
  bool may_matter(std::uint32_t op) const { return on_path_.empty() || on_path_.contains(op); }
  // That compute, of recorded ranks; of one operator in one pass, ranks stand together.
  const std::map<Key, Operator>& operators() const { return operators_; }
  // None: the rank was not recorded.
  std::optional<Lanes> lanes(std::uint32_t rank) const;

  double workers(CoreKind core) const;
  // By rank, what recorded ranks have; of those that were not recorded their mean.
  std::vector<double> of_all(const std::map<std::uint32_t, double>& recorded) const;
  // What a step would be shorter by, were each rank done by `sooner` ps sooner with its own work: the one that is last
  // then decides. No sum over ranks: they work at the same time.
  double gain(const std::vector<double>& sooner) const;
  // The same of what computing loses: no rank is done before its transfers are.
  double gain_of_computing(std::vector<double> sooner) const;
  // Where a light record of the rank stands.
  std::string place(std::uint32_t rank) const;

 private:
  void add(const FullStep& step);

  const Observation& of_;
  const RuleData& shared_;
  std::uint32_t step_;
  std::vector<RankStep> mean_;
  double took_ = 0;
  std::vector<FullStep> full_;
  std::map<Key, Operator> operators_;
  std::set<std::uint32_t> on_path_;
};

}  // namespace a3sim
