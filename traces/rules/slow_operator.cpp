#include "traces/rules/slow_operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace a3sim {

Roof roof_of(const OperatorRecord& of, const ObservedMachine& machine, double used) {
  const bool cube = of.core == CoreKind::kCube;
  const double workers = std::max(1U, cube ? machine.aic : machine.aiv);
  const double time = seconds(of.run) / workers;
  const double peak = cube ? machine.cube_rate : machine.vector_rate;
  if (time <= 0 || peak <= 0 || machine.hbm_read <= 0) return Roof::kNeither;
  const double intensity = of.hbm_bytes > 0 ? of.operations / of.hbm_bytes : peak;
  if (intensity <= peak / machine.hbm_read)
    return of.hbm_bytes / time >= used * machine.hbm_read ? Roof::kMemory : Roof::kNeither;
  return of.operations / time >= used * peak ? Roof::kCompute : Roof::kNeither;
}

std::vector<Finding> judge_slow_operator(const Case& of, const RuleData& data, Roof roof) {
  struct Sum {
    double lost = 0;
    const OperatorLag* worst = nullptr;
    std::vector<std::uint32_t> ranks;
  };
  std::map<std::uint32_t, Sum> slow;  // by operator
  double all = 0;
  for (const RankOperators& rank : computing(of)) {
    for (const OperatorLag* lag : rank.lags) {
      const double lost = lag->lag(of.workers(lag->now.core)) / rank.steps;
      all += std::max(0.0, lost);
      const bool clock = lag->arithmetic() > 1 + data.at("arithmetic");
      if (clock || lag->run() < data.at("slower") || lost <= 0 || !of.may_matter(lag->now.op)) continue;
      Sum& sum = slow[lag->now.op];
      sum.lost += lost;
      if (std::ranges::find(sum.ranks, rank.rank) == sum.ranks.end()) sum.ranks.push_back(rank.rank);
      if (!sum.worst || lag->run() > sum.worst->run()) sum.worst = lag;
    }
  }
  std::vector<Finding> findings;
  for (const auto& [op, sum] : slow) {
    const double a_rank = sum.lost / static_cast<double>(sum.ranks.size());
    if (sum.lost < data.at("most_of") * all || a_rank < data.at("least") * of.usual()) continue;
    if (roof_of(sum.worst->now, of.of.machine(), data.at("used")) != roof) continue;
    Finding finding;
    finding.ranks = busy_alike(of, sum.ranks);
    finding.operators = {of.of.names()[op]};
    finding.factor = sum.worst->run();
    double lag = 1;
    for (const std::uint32_t r : sum.ranks) lag = std::max(lag, of.excess(Measure::kOwn, r));
    finding.confidence = std::min(1.0, a_rank / lag);
    finding.evidence.push_back({fmt::format("{} of rank {}, at equal work, of the usual",
                                            finding.operators.front(), sum.worst->now.rank),
                                "", sum.worst->run(), data.at("slower"), of.of.place_of(sum.worst->now)});
    finding.evidence.push_back({"its part of what operators take longer", "", sum.lost / all,
                                data.at("most_of"), of.of.place_of(sum.worst->now)});
    findings.push_back(finding);
  }
  return findings;
}

}  // namespace a3sim
