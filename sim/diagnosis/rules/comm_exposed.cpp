#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/diagnosis/rules/rule.h"
#include "traces/analysis/stretches.h"

namespace a3sim {
namespace {

// An operator that exchanges. Measures how long it runs on a rank while the rank computes nothing, in ps of a
// step.
struct ExposedOperator {
  double time = 0;
  const OperatorRecord* longest = nullptr;
};
using ExposedOperators = std::map<std::uint32_t, ExposedOperator>;  // by name

std::map<std::uint32_t, ExposedOperators> exposed_by_rank(const SteadyState& job) {
  std::map<std::uint32_t, ExposedOperators> exposed;
  for (const FullStep& step : job.full) {
    std::map<std::uint32_t, Stretches> computing;
    for (const OperatorRecord& record : step.operators)
      if (record.lane == Lane::kCompute) computing[record.rank].emplace_back(record.start, record.end);
    for (auto& [rank, stretches] : computing) unite(stretches);
    for (const std::uint32_t rank : step.ranks) exposed[rank];
    for (const OperatorRecord& record : step.operators) {
      if (record.lane != Lane::kCommunication) continue;
      ExposedOperator& op = exposed[record.rank][record.op];
      const Duration hidden = covered(computing[record.rank], {}, record.start, record.end);
      op.time += picoseconds(record.end - record.start - hidden) / static_cast<double>(job.full.size());
      if (!op.longest || record.end - record.start > op.longest->end - op.longest->start)
        op.longest = &record;
    }
  }
  return exposed;
}

double time_of(const ExposedOperators& operators) {
  double sum = 0;
  for (const auto& [op, exposed] : operators) sum += exposed.time;
  return sum;
}

// Collectives without computation beside them, if the records do not show whether they send or wait. The rank
// that is in them for the shortest time waits least, so its time is the most that can be lost.
class CommExposedRule final : public CauseRule {
 public:
  std::vector<Finding> diagnose_slowdown(const Slowdown&, const RuleData&) const override { return {}; }

  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    if (job.observation.exchanges_split()) return {};
    const std::map<std::uint32_t, ExposedOperators> ranks = exposed_by_rank(job);
    if (ranks.empty()) return {};
    const auto by_time = [](const auto& rank) { return time_of(rank.second); };
    const auto [least, most] = std::ranges::minmax_element(ranks, {}, by_time);
    const double lost = by_time(*least), limit = data.at("exposed") * job.took;
    if (lost <= limit) return {};
    Finding finding;
    for (const auto& [rank, operators] : ranks) finding.ranks.push_back(rank);
    for (const auto& [op, exposed] : in_order(least->second)) {
      if (exposed.time < data.at("among") * lost) continue;
      finding.operators.push_back(job.observation.names()[op]);
      finding.add(
          {fmt::format("{} of rank {}, nothing computed beside it", finding.operators.back(), least->first),
           "ms a step", exposed.time / kPicosecondsOfMs, limit / kPicosecondsOfMs,
           job.observation.place_of(*exposed.longest)});
    }
    if (by_time(*most) > lost)
      finding.add({fmt::format("rank {} is longer in them: it waits", most->first), "ms a step",
                   (by_time(*most) - lost) / kPicosecondsOfMs, 0, job.place(most->first)});
    finding.lost_ms = std::min(lost, job.took) / kPicosecondsOfMs;
    finding.explains = 1;
    finding.missing.emplace_back(
        "communication.json: Wait Time(ms), Transit Time(ms): does it wait or send?");
    return {finding};
  }

 private:
  // Returns the operators, those with most time first.
  static std::vector<std::pair<std::uint32_t, ExposedOperator>> in_order(const ExposedOperators& operators) {
    std::vector<std::pair<std::uint32_t, ExposedOperator>> ordered(operators.begin(), operators.end());
    std::ranges::stable_sort(ordered,
                             [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
    return ordered;
  }
};

A3SIM_REGISTER(CauseRule, "comm.exposed", "collectives alone on the device: they wait or send, undecided",
               CommExposedRule);

}  // namespace
}  // namespace a3sim
