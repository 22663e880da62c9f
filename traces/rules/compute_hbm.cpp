#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "traces/rules/compute_lag.h"
#include "traces/rules/rule.h"

namespace a3sim {
namespace {

// Arithmetic as ever, and all that waits for memory slower: several operators, at equal work.
class ComputeHbmRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    Finding finding;
    for (const RankOperators& rank : computing(of)) {
      std::set<std::uint32_t> slow;
      const OperatorLag* worst = nullptr;
      double lost = 0, most = 0;
      for (const OperatorLag* lag : rank.lags) {
        if (std::abs(lag->arithmetic() - 1) > data.at("arithmetic")) continue;
        if (lag->rest() < data.at("slower") || lag->now.hbm_bytes <= 0) continue;
        slow.insert(lag->now.op);
        const double of_it = lag->lag(of.workers(lag->now.core));
        lost += of_it;
        most = std::max(most, of_it);
        if (!worst || lag->lag(1) > worst->lag(1)) worst = lag;
      }
      lost /= std::max(1.0, rank.steps);
      most /= std::max(1.0, rank.steps);
      if (slow.size() < data.at("operators") || lost < data.at("least") * of.usual()) continue;
      if (most > data.at("single") * lost && slow.size() < 2 * data.at("operators")) continue;
      finding.ranks.push_back(rank.rank);
      const double lag = std::max(1.0, of.excess(Measure::kOwn, rank.rank));
      finding.confidence = std::max(finding.confidence, std::min(1.0, lost / lag));
      finding.evidence.push_back(
          {fmt::format("rank {}: what {} takes beside its arithmetic, of the usual", rank.rank,
                       of.of.names()[worst->now.op]),
           "", worst->rest(), data.at("slower"), of.of.place_of(worst->now)});
      finding.evidence.push_back({fmt::format("rank {}: operators that memory slows down", rank.rank), "",
                                  static_cast<double>(slow.size()), data.at("operators"),
                                  of.of.place_of(worst->now)});
      finding.factor = std::max(finding.factor, 1 / worst->rest());
    }
    if (finding.ranks.empty()) return {};
    finding.ranks = busy_alike(of, finding.ranks);
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "compute.hbm", "memory-bound work is slow on a rank", ComputeHbmRule);

}  // namespace
}  // namespace a3sim
