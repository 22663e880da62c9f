#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sim/diagnosis/rules/computing.h"
#include "sim/diagnosis/rules/rule.h"

namespace a3sim {
namespace {

// Returns how much longer an operator takes outside arithmetic than its clock explains, in ps of its workers.
double by_memory(const OperatorLag& lag) {
  return picoseconds(lag.now.run - lag.now.arithmetic) -
         picoseconds(lag.usual.run - lag.usual.arithmetic) / lag.clock();
}

// The time for which a rank's operators wait for memory longer than usual. With slow memory, several
// operators wait longer at equal work, while their arithmetic takes the usual time.
struct SlowRests {
  std::set<std::uint32_t> slow;  // operators
  double lost = 0, most = 0;  // ps of the rank in a step: lost by all of them, and by the one that lost most
  double others = 1;          // time of the other operators outside arithmetic, relative to the usual one
  const OperatorLag* worst = nullptr;  // the operator that lost most
};
SlowRests slow_rests(const Slowdown& slowdown, const RankOperators& rank, const RuleData& data) {
  SlowRests found;
  struct Sum {
    double lost = 0, now = 0, usual = 0;
  };
  std::map<std::uint32_t, Sum> sums;  // by operator
  for (const OperatorLag* lag : rank.lags) {
    // Compares times apart from the effect of the clock.
    if (std::abs(lag->arithmetic() * lag->clock() - 1) > data.at("arithmetic") || lag->now.hbm_bytes <= 0 ||
        !lag->equal)
      continue;
    const double workers = slowdown.workers(lag->now.core) * std::max(1.0, rank.steps);
    Sum& sum = sums[lag->now.op];
    sum.now += picoseconds(lag->now.run - lag->now.arithmetic) * lag->clock() / workers;
    sum.usual += picoseconds(lag->usual.run - lag->usual.arithmetic) / workers;
    sum.lost += by_memory(*lag) / workers;
    if (!found.worst || by_memory(*lag) > by_memory(*found.worst)) found.worst = lag;
  }
  double now = 0, usual = 0;
  for (const auto& [op, sum] : sums) {
    if (sum.now > (1 + data.at("others")) * sum.usual) {
      found.slow.insert(op);
      found.lost += sum.lost;
      found.most = std::max(found.most, sum.lost);
    }
    if (op == found.worst->now.op) continue;
    now += sum.now;
    usual += sum.usual;
  }
  if (usual > 0) found.others = now / usual;
  return found;
}

double memory_rate(const OperatorRecord& record) {
  return record.run > Duration::zero() ? record.hbm_bytes / picoseconds(record.run) : 0;
}

// Returns whether no operator of the same cores usually needs more of the memory in its time.
bool needs_most(const RankOperators& rank, const OperatorLag& worst) {
  return std::ranges::none_of(rank.lags, [&](const OperatorLag* lag) {
    return lag->now.core == worst.now.core && memory_rate(lag->usual) > memory_rate(worst.usual);
  });
}

// Returns whether the operator takes as long as usual on another rank that was recorded.
bool is_usual_elsewhere(const Slowdown& slowdown, const RankOperators& rank, const OperatorLag& worst,
                        const RuleData& data) {
  return std::ranges::any_of(slowdown.operators, [&](const OperatorLag& lag) {
    return lag.equal && lag.now.rank != rank.rank && lag.now.op == worst.now.op &&
           lag.now.pass == worst.now.pass && lag.rest() * lag.clock() < 1 + data.at("others");
  });
}

class ComputeHbmRule final : public CauseRule {
 public:
  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    Finding finding;
    for (const RankOperators& rank : computing(slowdown)) {
      const SlowRests of_rank = slow_rests(slowdown, rank, data);
      const OperatorLag* worst = of_rank.worst;
      const double lost = of_rank.lost;
      if (!worst || worst->rest() * worst->clock() < data.at("slower") ||
          lost < data.at("least") * slowdown.usual())
        continue;
      // If one operator loses nearly all, it is itself the cause, with two exceptions: the others suffer from
      // the memory too, or it needs the memory most and is slow only on this rank. A slow kernel is slow on
      // all ranks.
      const bool alone = of_rank.most > data.at("single") * lost;
      if (alone && of_rank.others < 1 + data.at("others") &&
          !(needs_most(rank, *worst) && is_usual_elsewhere(slowdown, rank, *worst, data)))
        continue;
      if (slowdown.excess(Measure::kOwn, rank.rank) < data.at("of_lag") * slowdown.own_lag()) continue;
      finding.ranks.push_back(rank.rank);
      finding.explains = std::max(finding.explains, std::min(1.0, lost / slowdown.own_lag()));
      finding.add({fmt::format("on rank {}, {} takes {{}} of the usual time outside its arithmetic",
                               rank.rank, slowdown.observation.names()[worst->now.op]),
                   "", worst->rest(), data.at("slower"), slowdown.observation.place_of(worst->now)});
      finding.add({fmt::format("on rank {} memory slows down {{}}", rank.rank), "operators",
                   static_cast<double>(of_rank.slow.size()), data.at("operators"),
                   slowdown.observation.place_of(worst->now)});
      finding.factor = std::max(finding.factor, 1 / worst->rest());
    }
    if (finding.ranks.empty()) return {};
    finding.ranks = busy_alike(slowdown, finding.ranks);
    return {finding};
  }

  // Finds ranks on which several operators spend more time outside arithmetic than on most ranks at equal
  // work.
  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    Finding finding;
    std::vector<double> sooner(job.mean.size());
    for (const RankBeside& rank : ranks_beside(job, data.at("arithmetic"), data.at("slower"))) {
      if (rank.slow_rests < data.at("operators") || rank.lost_rest < data.at("least") * job.took) continue;
      if (rank.most_rest > data.at("single") * rank.lost_rest) continue;
      finding.ranks.push_back(rank.rank);
      finding.factor = finding.factor > 0 ? std::min(finding.factor, 1 / rank.slowest) : 1 / rank.slowest;
      sooner[rank.rank] = rank.lost_rest;
      const RecordPlace place = job.observation.place_of(*rank.worst);
      finding.add({fmt::format("on rank {}, {} takes {{}} of the median rank's time outside its arithmetic",
                               rank.rank, job.observation.names()[rank.worst->op]),
                   "", rank.slowest, data.at("slower"), place});
      finding.add({fmt::format("on rank {} memory slows down {{}}", rank.rank), "operators",
                   static_cast<double>(rank.slow_rests), data.at("operators"), place});
    }
    if (finding.ranks.empty() || 2 * finding.ranks.size() > job.mean.size()) return {};
    finding.lost_ms = job.gain_of_computing(sooner) / kPicosecondsOfMs;
    finding.explains = 1;
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "compute.hbm", "memory-bound work is slow on a rank", ComputeHbmRule);

}  // namespace
}  // namespace a3sim
