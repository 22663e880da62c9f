#include <fmt/format.h>

#include <vector>

#include "sim/diagnosis/rules/port_in_time.h"
#include "sim/diagnosis/rules/rule.h"
#include "sim/diagnosis/rules/slow_links.h"

namespace a3sim {
namespace {

// Returns whether at least half of a path's puts are slow: single ones that waited make no slow path.
bool is_lasting(const Slowdown& slowdown, const SlowLink& path, double slow) {
  std::size_t longer = 0, all = 0;
  for (const auto& [key, puts] : slowdown.transfers.puts) {
    if (key.src != path.from || key.dst != path.to || puts.usual.empty()) continue;
    double usual = 0;
    for (const TransferRecord* put : puts.usual)
      usual += picoseconds(put->length()) / static_cast<double>(puts.usual.size());
    for (const TransferRecord* put : puts.now) longer += slow * picoseconds(put->length()) > usual;
    all += puts.now.size();
  }
  return all == 0 || 2 * longer >= all;
}

// Says that a port may come and go which carries less in an exchange than one that is slow all the time would.
void doubt_steady(const Slowdown& slowdown, const SlowLink& link, const PortInTime& in_time,
                  Finding& finding) {
  finding.doubt = std::max(finding.doubt, slowdown.shared.at("port_unsteady"));
  finding.missing.push_back(
      fmt::format("whether it is slow all the time: in one exchange rank {}'s port carries {:.2f} of what it "
                  "would then, so it may come and go",
                  link.ranks.front(), in_time.of_steady));
}

// Slow ports and paths: permanently slow ones, and ports that are repeatedly slow for a while.
class CommLinkRule final : public CauseRule {
 public:
  explicit CommLinkRule(bool flapping) : flapping_(flapping) {}

  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    std::vector<Finding> findings;
    // If no usual transfers are known, paths between ranks differ by more than noise.
    const double slow = data.at(slowdown.reference.transfers.empty() ? "standing" : "slow");
    for (const SlowLink& link : slow_links(slowdown, slow)) {
      if (link.kind == SlowLink::Kind::kAll) continue;
      if (link.kind == SlowLink::Kind::kPath && !is_lasting(slowdown, link, slow)) continue;
      PortInTime in_time;
      if (link.kind == SlowLink::Kind::kPorts)
        in_time = port_in_time(slowdown, link.ranks.front(), link.egress, slow);
      const bool changes = in_time.changing >= data.at("changing");
      const bool uneven = in_time.uneven >= data.at("changing");
      const bool flaps = changes || uneven || in_time.varies(slowdown.shared);
      if (flaps != flapping_) continue;
      Finding& finding = findings.emplace_back(finding_of(slowdown, link, slow));
      // A steady port does not change within a step.
      if (!flaps) finding.doubt = std::max(finding.doubt, in_time.changing);
      if (!flaps && in_time.of_steady < slow) doubt_steady(slowdown, link, in_time, finding);
      if (!flaps) continue;
      const RecordPlace place = finding.evidence.front().place;
      if (changes)
        finding.add({fmt::format("rank {}'s port changes between low and full {{}}", link.ranks.front()),
                     "a step", static_cast<double>(in_time.changes), slowdown.shared.at("port_changes_usual"),
                     place});
      else if (uneven)
        finding.add(
            {fmt::format("in one exchange rank {}'s port carries {{}} of what a steadily slow one would",
                         link.ranks.front()),
             "", in_time.of_steady, slowdown.shared.at("port_uneven"), place});
      else
        finding.add(
            {fmt::format("equal puts of rank {}'s port differ by {{}} from step to step", link.ranks.front()),
             "", in_time.apart, slowdown.shared.at("port_varies"), place});
      if (in_time.period > 0)
        finding.add({"its rate falls every {}", "ms", in_time.period / kPicosecondsOfMs, 0, place});
    }
    return findings;
  }

  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    std::vector<Finding> findings;
    if (flapping_) return findings;
    for (const SlowLink& link : slow_links(job, data.at("standing")))
      findings.push_back(finding_of(job, link, data.at("standing")));
    return findings;
  }

 private:
  bool flapping_;
};

// A cause for all transfers, if they are equally slow and no other cause of slow communication holds.
class CommConfigRule final : public CauseRule {
 public:
  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    const TransferLags& lags = slowdown.transfers;
    if (lags.size_usual > 0 && lags.size_now < data.at("smaller") * lags.size_usual) return {};
    std::vector<Finding> findings;
    for (const SlowLink& link : slow_links(slowdown, data.at("slow")))
      if (link.kind == SlowLink::Kind::kAll && !slowdown.reference.transfers.empty())
        findings.push_back(finding_of(slowdown, link, data.at("slow")));
    return findings;
  }
};

A3SIM_REGISTER(CauseRule, "comm.link", "a port or a path is steadily slow", CommLinkRule(false));
A3SIM_REGISTER(CauseRule, "comm.flapping", "a port is slow again and again", CommLinkRule(true));
A3SIM_REGISTER(CauseRule, "comm.config", "all communication is slow, without another cause", CommConfigRule);

}  // namespace
}  // namespace a3sim
