#include <fmt/format.h>

#include <algorithm>

#include "sim/diagnosis/rules/hosts.h"
#include "sim/diagnosis/rules/rule.h"

namespace a3sim {
namespace {

// `least` is the least time in ps that matters to a device.
void add_queues(Finding& finding, std::uint32_t rank, const std::array<double, 3>& fill, double waited,
                double least, const RuleData& data, const RecordPlace& place) {
  constexpr const char* kQueueNames[] = {"batches ready for the device", "batches ready for the host",
                                         "batches read"};
  for (std::size_t q = 0; q < fill.size() && fill[q] >= 0; ++q)
    finding.add({fmt::format("the queue of {1} of rank {0} is filled to {{}}", rank, kQueueNames[q]), "%",
                 fill[q], data.at("filled"), place});
  finding.add({fmt::format("rank {} waits {{}} for its batch", rank), "ms per step",
               waited / kPicosecondsOfMs, least / kPicosecondsOfMs, place});
  if (fill.front() < 0) finding.missing.emplace_back("fill of the queues of batches: which stage is slow?");
}

// The slowest stage of the data pipeline, on the ranks that wait for batches.
class IoRule final : public CauseRule {
 public:
  explicit IoRule(IoStage stage) : stage_(stage) {}

  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    const HostLag lag = host_lag(slowdown);
    Finding finding;
    std::uint32_t worst = kNone;
    for (const std::uint32_t r : lag.ranks) {
      if (io_stage(slowdown, lag, r) != stage_) continue;
      finding.ranks.push_back(r);
      if (worst == kNone || lag.by_rank[r] > lag.by_rank[worst]) worst = r;
    }
    const double least = felt_time(data, slowdown.shared, slowdown.usual());
    if (finding.ranks.empty() || lag.by_rank[worst] < least) return {};
    add_hidden(slowdown, finding.ranks);
    finding.explains = std::min(1.0, lag.by_rank[worst] / slowdown.own_lag());
    add_queues(finding, worst, slowdown.episode.mean[worst].fill, lag.by_rank[worst], least, data,
               slowdown.place(worst));
    return {finding};
  }

  // A rank that waits for a batch in every step loses all the time before its first work.
  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    Finding finding;
    std::uint32_t worst = kNone;
    const double least = std::max(felt_time(data, job.shared, job.took), data.at("standing") * job.took);
    if (stage_ == IoStage::kUndecided) return undecided(job, data);
    std::vector<double> waited;
    for (std::uint32_t r = 0; r < job.mean.size(); ++r) {
      const RankStep& rank = job.mean[r];
      const bool its = io_stage(rank.fill, data.at("filled")) == stage_;
      waited.push_back(its ? std::max(rank[Measure::kDelay], rank[Measure::kLate]) : 0);
      if (waited.back() < least) continue;
      finding.ranks.push_back(r);
      if (worst == kNone || waited[r] > waited[worst]) worst = r;
    }
    if (worst == kNone) return {};
    finding.lost_ms = job.gain(waited) / kPicosecondsOfMs;
    finding.explains = 1;
    add_queues(finding, worst, job.mean[worst].fill, waited[worst], least, data, job.place(worst));
    return {finding};
  }

 private:
  // Adds ranks whose queues are as empty, although their devices did not wait for them while others waited longer.
  void add_hidden(const Slowdown& slowdown, std::vector<std::uint32_t>& ranks) const {
    for (std::uint32_t r = 0; r < slowdown.observation.ranks(); ++r)
      if (io_stage(slowdown.episode.mean[r].fill, slowdown.shared.at("filled")) == stage_) ranks.push_back(r);
    std::ranges::sort(ranks);
    ranks.erase(std::ranges::unique(ranks).begin(), ranks.end());
  }

  // Without queues, a device that is idle while its host waits for the next batch shows that loading is slow.
  static std::vector<Finding> undecided(const SteadyState& job, const RuleData& data) {
    const bool seen = std::ranges::any_of(job.mean, [](const RankStep& rank) { return rank.fill[0] >= 0; });
    if (seen) return {};
    std::vector<Finding> findings = steady_host_events(job, HostKind::kFetch, data);
    for (Finding& finding : findings)
      finding.missing.emplace_back("fill of the queues of batches: which stage is slow?");
    return findings;
  }

  IoStage stage_;
};

A3SIM_REGISTER(CauseRule, "io.read", "batches are read too slowly", IoRule(IoStage::kRead));
A3SIM_REGISTER(CauseRule, "io.process", "batches are processed too slowly", IoRule(IoStage::kProcess));
A3SIM_REGISTER(CauseRule, "io.loading", "batches come too slowly: which stage, undecided",
               IoRule(IoStage::kUndecided));
A3SIM_REGISTER(CauseRule, "io.fetch", "batches are fetched too slowly", IoRule(IoStage::kFetch));

}  // namespace

IoStage io_stage(const std::array<double, 3>& fill, double filled) {
  if (fill[0] < 0 || fill[0] >= filled) return IoStage::kNone;
  if (fill[1] >= filled) return IoStage::kFetch;
  return fill[2] >= filled ? IoStage::kProcess : IoStage::kRead;
}

}  // namespace a3sim
