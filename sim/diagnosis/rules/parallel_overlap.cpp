#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "sim/diagnosis/rules/rule.h"
#include "traces/analysis/segments.h"

namespace a3sim {
namespace {

double part(Duration time, const Segments& segments) {
  return picoseconds(time) / static_cast<double>(std::max<std::int64_t>(1, segments.total().count()));
}

std::vector<Evidence> evidence_of(std::uint32_t rank, double overlap, double exposed, const RuleData& data,
                                  const RecordPlace& place) {
  return {{fmt::format("rank {} computes during communication for {{}} of the step", rank), "", overlap,
           data.at("overlap"), place},
          {fmt::format("rank {} communicates alone for {{}} of the step", rank), "", exposed,
           data.at("exposed"), place}};
}

// Communication during which nothing is computed.
class ParallelOverlapRule final : public CauseRule {
 public:
  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    Finding finding;
    for (const FullStep& step : slowdown.full) {
      for (const std::uint32_t rank : step.ranks) {
        const Segments now = segments(step, rank);
        if (now.total() <= Duration::zero() || std::ranges::find(finding.ranks, rank) != finding.ranks.end())
          continue;
        const double overlap = part(now.overlap, now), exposed = part(now.communication, now);
        if (overlap >= data.at("overlap") || exposed <= data.at("exposed")) continue;
        if (!slowdown.reference.operators.empty()) {
          const Segments usual = segments(slowdown.reference, rank);
          const bool always = part(usual.overlap, usual) < data.at("overlap");
          if (always) continue;
        }
        const auto first = std::ranges::find(step.operators, rank, &OperatorRecord::rank);
        finding.ranks.push_back(rank);
        finding.explains = std::max(finding.explains, exposed);
        for (Evidence& item :
             evidence_of(rank, overlap, exposed, data, slowdown.observation.place_of(*first)))
          finding.add(std::move(item));
      }
    }
    if (finding.ranks.empty()) return {};
    std::ranges::sort(finding.ranks);
    return {finding};
  }

  // Only computing time without communication can hide communication.
  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    if (job.observation.profiled_time())
      return {};  // comm.exposed covers these, and tells what of them waits
    Finding finding;
    std::map<std::uint32_t, double> hidden;
    double worst = 0;
    for (std::uint32_t rank = 0; rank < job.mean.size(); ++rank) {
      const std::optional<SteadyState::Lanes> lanes = job.lanes(rank);
      if (!lanes) continue;
      hidden[rank] = std::min(lanes->communication, lanes->compute);
      const double overlap = lanes->overlap / lanes->total, exposed = lanes->communication / lanes->total;
      if (overlap >= data.at("overlap") || exposed <= data.at("exposed")) {
        hidden[rank] = 0;
        continue;
      }
      finding.ranks.push_back(rank);
      if (exposed <= worst) continue;
      worst = exposed;
      finding.evidence = evidence_of(rank, overlap, exposed, data, job.place(rank));
    }
    if (finding.ranks.empty()) return {};
    finding.lost_ms = job.gain(job.for_all_ranks(hidden)) / kPicosecondsOfMs;
    finding.explains = 1;
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "parallel.overlap", "communication without computing beside it",
               ParallelOverlapRule);

}  // namespace
}  // namespace a3sim
