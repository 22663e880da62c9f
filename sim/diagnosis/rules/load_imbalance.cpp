#include <fmt/format.h>

#include <algorithm>

#include "sim/diagnosis/rules/rule.h"
#include "sim/diagnosis/rules/slow_links.h"

namespace a3sim {
namespace {

// Lost time that disappears when counted per row: ranks with more rows take longer, but not longer per row.
class LoadImbalanceRule final : public CauseRule {
 public:
  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    const std::uint32_t ranks = slowdown.observation.ranks();
    double mean = 0, most = 0;
    std::uint32_t busiest = 0;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const double rows = slowdown.episode.mean[r][Measure::kRows];
      mean += rows / ranks;
      if (rows <= most) continue;
      most = rows;
      busiest = r;
    }
    const double usual = slowdown.located.healthy[busiest][Measure::kRows];
    if (mean <= 0 || usual <= 0 || most < (1 + data.at("above")) * mean ||
        most < (1 + data.at("above")) * usual)
      return {};
    Finding finding;
    for (std::uint32_t r = 0; r < ranks; ++r)
      if (slowdown.episode.mean[r][Measure::kRows] > (1 + data.at("above")) * mean)
        finding.ranks.push_back(r);
    const double busy = slowdown.located.healthy[busiest][Measure::kOwn];
    // More rows take all of a rank's work longer, beside a slow way between ranks the work of its cores alone.
    const double cores = slowdown.excess(Measure::kAic, busiest) / slowdown.workers(CoreKind::kCube);
    finding.explains = has_slow_way(slowdown) ? cores / std::max(1.0, slowdown.lag())
                                              : (most / usual - 1) * busy / slowdown.own_lag();
    finding.explains = std::clamp(finding.explains, 0.0, 1.0);
    const double a_row = slowdown.ratio(Measure::kAic, busiest) / (most / usual);
    finding.add({fmt::format("rows of rank {} are {{}} of the mean", busiest), "", most / mean,
                 1 + data.at("above"), slowdown.place(busiest)});
    finding.add({fmt::format("a row of rank {} takes {{}} of the usual AIC time", busiest), "", a_row,
                 1 + data.at("a_row"), slowdown.place(busiest)});
    if (a_row > 1 + data.at("a_row")) finding.explains /= a_row;
    return {finding};
  }

  // With evenly spread rows, the busiest rank would take its time per row for the mean number of rows, and
  // the cores of other ranks would be as busy per row as now. The rest of their time may be due to the
  // busiest rank. If rows are not recorded, operations are used instead.
  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    const std::vector<RankStep>& ranks = job.mean;
    const double rows = mean_of(ranks, Measure::kRows), own = mean_of(ranks, Measure::kOwn);
    const Measure work = rows > 0 ? Measure::kRows : Measure::kOperations;
    const double mean = mean_of(ranks, work);
    if (mean <= 0 || own <= 0) return {};
    Finding finding;
    double then = 0;
    std::uint32_t busiest = 0;
    for (std::uint32_t r = 0; r < ranks.size(); ++r) {
      const double here = ranks[r][work];
      if (here > ranks[busiest][work]) busiest = r;
      if (here > (1 + data.at("above")) * mean) finding.ranks.push_back(r);
      if (here > 0)
        then = std::max(then, ranks[r][Measure::kAic] / job.workers(CoreKind::kCube) * mean / here);
    }
    if (finding.ranks.empty()) return {};
    const double most = ranks[busiest][work] / mean;
    const double took = ranks[busiest][Measure::kOwn], a_row = took / own / most;
    finding.lost_ms = std::max(0.0, took - std::max(then, took / most)) / kPicosecondsOfMs;
    finding.explains = std::min(1.0, 1 / a_row);
    const std::string_view what = rows > 0 ? "rows" : "operations";
    finding.add({fmt::format("{} of rank {} are {{}} of the mean", what, busiest), "", most,
                 1 + data.at("above"), job.place(busiest)});
    finding.add({fmt::format("for each of its {} it takes {{}} of the mean rank's time", what), "", a_row,
                 1 + data.at("a_row"), job.place(busiest)});
    return {finding};
  }

 private:
  static bool has_slow_way(const Slowdown& slowdown) {
    const double slow = slowdown.shared.at("port_slow");
    return std::ranges::any_of(slow_links(slowdown, slow), [&](const SlowLink& link) {
      return finding_of(slowdown, link, slow).carries_less;
    });
  }
  static double mean_of(const std::vector<RankStep>& ranks, Measure measure) {
    double sum = 0;
    for (const RankStep& rank : ranks) sum += rank[measure];
    return ranks.empty() ? 0 : sum / static_cast<double>(ranks.size());
  }
};

A3SIM_REGISTER(CauseRule, "load.imbalance", "experts of some ranks have more rows than others",
               LoadImbalanceRule);

}  // namespace
}  // namespace a3sim
