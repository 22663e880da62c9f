#include "traces/rules/compute_lag.h"

#include <algorithm>
#include <map>

namespace a3sim {

double RankOperators::sum(const std::function<double(const OperatorLag&)>& of) const {
  double sum = 0;
  for (const OperatorLag* lag : lags) sum += of(*lag);
  return sum / std::max(1.0, steps);
}

std::vector<RankOperators> computing(const Case& of) {
  std::map<std::uint32_t, RankOperators> ranks;
  for (const FullStep& step : of.full) {
    for (const std::uint32_t rank : step.ranks) {
      ranks[rank].rank = rank;
      ++ranks[rank].steps;
    }
  }
  for (const OperatorLag& lag : of.operators)
    if (lag.now.lane == Lane::kCompute && ranks.contains(lag.now.rank))
      ranks[lag.now.rank].lags.push_back(&lag);
  std::vector<RankOperators> list;
  for (auto& [rank, operators] : ranks) list.push_back(std::move(operators));
  return list;
}

std::vector<std::uint32_t> busy_alike(const Case& of, std::vector<std::uint32_t> like) {
  const double busier_by = of.shared.at("busier"), alike = of.shared.at("busy_alike");
  const auto busier = [&](std::uint32_t r) {
    return std::max(of.ratio(Measure::kAic, r), of.ratio(Measure::kAiv, r)) - 1;
  };
  double least = 1e9;
  for (const std::uint32_t r : like) least = std::min(least, busier(r));
  for (std::uint32_t r = 0; r < of.of.ranks() && least > busier_by; ++r)
    if (!of.recorded(r) && busier(r) > alike * least && of.ratio(Measure::kAic, r) - 1 > busier_by)
      like.push_back(r);
  std::ranges::sort(like);
  return like;
}

double lost_on_cores(const Case& of, std::uint32_t rank) {
  return std::max(of.excess(Measure::kAic, rank) / of.workers(CoreKind::kCube),
                  of.excess(Measure::kAiv, rank) / of.workers(CoreKind::kVector));
}

}  // namespace a3sim
