#include "traces/rules/standing_operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace a3sim {
namespace {

constexpr double kPicosecond = 1e-12;
constexpr std::size_t kMostNamed = 4;

// An operator of all passes and ranks.
struct Sum {
  double lost = 0, exposed = 0,
         reached = 1;  // ps, the most of a rank; the part of the roof where it is lowest
  const OperatorRecord* worst = nullptr;
};

Finding finding_of(const Standing& of, const std::map<std::uint32_t, Sum>& sums,
                   const std::set<std::uint32_t>& ranks, double used) {
  std::vector<std::pair<std::uint32_t, Sum>> order(sums.begin(), sums.end());
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
    return std::pair(a.second.lost, a.second.exposed) > std::pair(b.second.lost, b.second.exposed);
  });
  Finding finding;
  finding.ranks.assign(ranks.begin(), ranks.end());
  for (const auto& [op, sum] : order) {
    const std::string& name = of.of().names()[op];
    finding.operators.push_back(name);
    if (finding.evidence.size() < kMostNamed)
      finding.evidence.push_back({fmt::format("{} of rank {}, of the nearer roof", name, sum.worst->rank), "",
                                  sum.reached, used, of.of().place_of(*sum.worst)});
  }
  finding.confidence = 1;
  return finding;
}

}  // namespace

RoofPart roof_part(const Standing& of, const Standing::Operator& op, double used) {
  const ObservedMachine& machine = of.of().machine();
  const bool cube = op.one->core == CoreKind::kCube;
  const double peak = cube ? machine.cube_rate : machine.vector_rate;
  const double time = kPicosecond * op.run / of.workers(op.one->core);
  if (time <= 0 || peak <= 0 || machine.hbm_read <= 0) return {};
  const double memory =
      std::max(op.hbm_bytes / machine.hbm_read, machine.l2_read > 0 ? op.l2_bytes / machine.l2_read : 0);
  const double cores = op.operations / peak;
  RoofPart part{Roof::kNeither, std::max(memory, cores) / time};
  if (part.reached >= used) part.roof = memory > cores ? Roof::kMemory : Roof::kCompute;
  return part;
}

std::vector<Finding> standing_operators(const Standing& of, const RuleData& data, Roof roof) {
  const double used = data.at("used");
  std::map<std::uint32_t, Sum> sums;
  std::set<std::uint32_t> ranks;
  std::map<std::uint32_t, double> sooner;
  for (const auto& [key, op] : of.operators()) {
    sooner[key.rank];
    const RoofPart part = roof_part(of, op, used);
    if (part.roof != roof || part.reached <= 0 || !of.may_matter(key.op)) continue;
    const double lost = op.exposed * std::max(0.0, 1 - part.reached / used);
    if ((roof == Roof::kNeither ? lost : op.exposed) < data.at("standing") * of.took()) continue;
    sooner[key.rank] += lost;
    ranks.insert(key.rank);
    Sum& sum = sums[key.op];
    sum.lost = std::max(sum.lost, lost);
    sum.exposed = std::max(sum.exposed, op.exposed);
    if (sum.worst && part.reached >= sum.reached) continue;
    sum.reached = part.reached;
    sum.worst = op.one;
  }
  if (sums.empty()) return {};
  Finding finding = finding_of(of, sums, ranks, used);
  finding.info = roof != Roof::kNeither;
  if (!finding.info) finding.lost_ms = of.gain_of_computing(of.of_all(sooner)) / kPicosecondsOfMs;
  return {finding};
}

std::vector<RankBeside> ranks_beside(const Standing& of, double arithmetic, double slower) {
  constexpr std::size_t kLeastRanks = 3;
  const double near = of.shared().at("equal_work");
  std::map<std::uint32_t, RankBeside> ranks;
  const auto& all = of.operators();
  for (auto first = all.begin(); first != all.end();) {
    std::vector<decltype(first)> group;
    std::vector<double> work, times, rests;
    for (auto at = first;
         at != all.end() && at->first.pass == first->first.pass && at->first.op == first->first.op; ++at)
      group.push_back(at);
    first = std::next(group.back());
    for (const auto& at : group) work.push_back(at->second.operations);
    const double usual_work = middle_of(work);
    std::erase_if(group, [&](const auto& at) {
      return std::abs(at->second.operations - usual_work) > near * usual_work;
    });
    if (group.size() < kLeastRanks) continue;
    for (const auto& at : group) {
      times.push_back(at->second.arithmetic);
      rests.push_back(at->second.rest());
    }
    const double usual_time = middle_of(times), usual_rest = middle_of(rests);
    for (const auto& at : group) {
      const Standing::Operator& op = at->second;
      RankBeside& rank = ranks[at->first.rank];
      rank.rank = at->first.rank;
      if (op.one->core == CoreKind::kCube) {
        rank.arithmetic += op.arithmetic;
        rank.usual_arithmetic += usual_time;
        rank.lost_arithmetic += (op.arithmetic - usual_time) / of.workers(op.one->core);
        rank.lost += (op.run - usual_time - usual_rest) / of.workers(op.one->core);
        if (!rank.longest || op.one->run > rank.longest->run) rank.longest = op.one;
      }
      if (usual_time > 0 && std::abs(op.arithmetic / usual_time - 1) > arithmetic) continue;
      if (usual_rest <= 0 || op.rest() < slower * usual_rest || op.hbm_bytes <= 0) continue;
      const double lost = (op.rest() - usual_rest) / of.workers(op.one->core);
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
