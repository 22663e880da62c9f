#include "sim/diagnosis/rules/computing.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/core/statistics.h"

namespace a3sim {

std::vector<RankOperators> computing(const Slowdown& slowdown) {
  std::map<std::uint32_t, RankOperators> ranks;
  for (const FullStep& step : slowdown.full) {
    for (const std::uint32_t rank : step.ranks) {
      ranks[rank].rank = rank;
      ++ranks[rank].steps;
    }
  }
  for (const OperatorLag& lag : slowdown.operators)
    if (lag.now.lane == Lane::kCompute && ranks.contains(lag.now.rank))
      ranks[lag.now.rank].lags.push_back(&lag);
  std::vector<RankOperators> list;
  for (auto& [rank, operators] : ranks) list.push_back(std::move(operators));
  return list;
}

std::vector<std::uint32_t> busy_alike(const Slowdown& slowdown, std::vector<std::uint32_t> like) {
  const double busier_by = slowdown.shared.at("busier"), alike = slowdown.shared.at("busy_alike");
  const auto busier = [&](std::uint32_t r) {
    return std::max(slowdown.ratio(Measure::kAic, r), slowdown.ratio(Measure::kAiv, r)) - 1;
  };
  double least = 1e9;
  for (const std::uint32_t r : like) least = std::min(least, busier(r));
  for (std::uint32_t r = 0; r < slowdown.observation.ranks() && least > busier_by; ++r)
    if (!slowdown.recorded(r) && busier(r) > alike * least &&
        slowdown.ratio(Measure::kAic, r) - 1 > busier_by)
      like.push_back(r);
  std::ranges::sort(like);
  return like;
}

std::vector<RankBeside> ranks_beside(const SteadyState& job, double arithmetic, double slower) {
  constexpr std::size_t kLeastRanks = 3;
  const double near = job.shared.at("equal_work");
  std::map<std::uint32_t, RankBeside> ranks;
  const auto& all = job.operators;
  for (auto first = all.begin(); first != all.end();) {
    std::vector<decltype(first)> group;
    std::vector<double> work, times, rests;
    for (auto at = first;
         at != all.end() && at->first.pass == first->first.pass && at->first.op == first->first.op; ++at)
      group.push_back(at);
    first = std::next(group.back());
    for (const auto& at : group) work.push_back(at->second.operations);
    const double usual_work = median(work);
    if (usual_work <= 0) continue;  // without shapes nothing is known of equal work
    std::erase_if(group, [&](const auto& at) {
      return std::abs(at->second.operations - usual_work) > near * usual_work;
    });
    if (group.size() < kLeastRanks) continue;
    for (const auto& at : group) {
      times.push_back(at->second.arithmetic);
      rests.push_back(at->second.rest());
    }
    const double usual_time = median(times), usual_rest = median(rests);
    for (const auto& at : group) {
      const SteadyState::Operator& op = at->second;
      RankBeside& rank = ranks[at->first.rank];
      rank.rank = at->first.rank;
      if (op.one->core == CoreKind::kCube) {
        rank.arithmetic += op.arithmetic;
        rank.usual_arithmetic += usual_time;
        rank.lost_arithmetic += (op.arithmetic - usual_time) / job.workers(op.one->core);
        rank.lost += (op.run - usual_time - usual_rest) / job.workers(op.one->core);
        if (!rank.longest || op.one->run > rank.longest->run) rank.longest = op.one;
      }
      if (usual_time > 0 && std::abs(op.arithmetic / usual_time - 1) > arithmetic) continue;
      if (usual_rest <= 0 || op.rest() < slower * usual_rest || op.hbm_bytes <= 0) continue;
      const double lost = (op.rest() - usual_rest) / job.workers(op.one->core);
      ++rank.slow_rests;
      rank.lost_rest += lost;
      rank.most_rest = std::max(rank.most_rest, lost);
      if (op.rest() <= rank.slowest * usual_rest) continue;
      rank.slowest = op.rest() / usual_rest;
      rank.worst = op.one;
    }
  }
  std::vector<RankBeside> list;
  for (const auto& [rank, beside] : ranks) list.push_back(beside);
  return list;
}

}  // namespace a3sim
