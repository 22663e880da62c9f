#include "traces/rules/io_queues.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {

IoStage io_stage(const std::array<double, 3>& fill, double filled) {
  if (fill[0] < 0 || fill[0] >= filled) return IoStage::kNone;
  if (fill[1] >= filled) return IoStage::kFetch;
  return fill[2] >= filled ? IoStage::kProcess : IoStage::kRead;
}

std::vector<Finding> judge_io(const Case& of, const RuleData& data, IoStage stage) {
  constexpr double kPicoseconds = 1e9;
  const HostLag lag = host_lag(of);
  Finding finding;
  std::uint32_t worst = kNone;
  for (const std::uint32_t r : lag.ranks) {
    if (io_stage(of.episode.mean[r].fill, data.at("filled")) != stage) continue;
    finding.ranks.push_back(r);
    if (worst == kNone || lag.by_rank[r] > lag.by_rank[worst]) worst = r;
  }
  if (finding.ranks.empty() || lag.by_rank[worst] < data.at("least_ms") * kPicoseconds) return {};
  const std::array<double, 3>& fill = of.episode.mean[worst].fill;
  finding.confidence = std::min(1.0, lag.by_rank[worst] / std::max(1.0, of.excess(Measure::kOwn, worst)));
  constexpr const char* kQueues[] = {"batches ready for the device", "batches ready for the host", "batches read"};
  for (std::size_t q = 0; q < fill.size(); ++q)
    finding.evidence.push_back({fmt::format("rank {}: queue of {} filled", worst, kQueues[q]), "%", fill[q],
                                data.at("filled"), of.place(worst)});
  finding.evidence.push_back({fmt::format("rank {} waited for its batch", worst), "ms a step",
                              lag.by_rank[worst] / kPicoseconds, data.at("least_ms"), of.place(worst)});
  return {finding};
}

}  // namespace a3sim
