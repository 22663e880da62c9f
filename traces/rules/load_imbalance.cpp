#include <fmt/format.h>

#include <algorithm>

#include "traces/rules/rule.h"

namespace a3sim {
namespace {

// Time that vanishes per row: ranks with more rows take longer, each row takes as long as ever.
class LoadImbalanceRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    const std::uint32_t ranks = of.of.ranks();
    double mean = 0, most = 0;
    std::uint32_t busiest = 0;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const double rows = of.episode.mean[r][Measure::kRows];
      mean += rows / ranks;
      if (rows <= most) continue;
      most = rows;
      busiest = r;
    }
    const double usual = of.located.healthy[busiest][Measure::kRows];
    if (mean <= 0 || usual <= 0 || most < (1 + data.at("above")) * mean || most < (1 + data.at("above")) * usual)
      return {};
    Finding finding;
    for (std::uint32_t r = 0; r < ranks; ++r)
      if (of.episode.mean[r][Measure::kRows] > (1 + data.at("above")) * mean) finding.ranks.push_back(r);
    const double lag = std::max(1.0, of.excess(Measure::kOwn, busiest));
    const double busy = of.located.healthy[busiest][Measure::kOwn];
    finding.confidence = std::clamp((most / usual - 1) * busy / lag, 0.0, 1.0);
    const double a_row = of.ratio(Measure::kAic, busiest) / (most / usual);
    finding.evidence.push_back({fmt::format("rows of rank {}, of the mean", busiest), "", most / mean,
                                1 + data.at("above"), of.place(busiest)});
    finding.evidence.push_back({fmt::format("AIC time a row of rank {}, of the usual", busiest), "", a_row,
                                1 + data.at("a_row"), of.place(busiest)});
    if (a_row > 1 + data.at("a_row")) finding.confidence /= a_row;
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "load.imbalance", "experts of some ranks have more rows than others", LoadImbalanceRule);

}  // namespace
}  // namespace a3sim
