#include <fmt/format.h>

#include <algorithm>

#include "traces/rules/rule.h"
#include "traces/rules/slow_links.h"
#include "traces/rules/standing_transfers.h"

namespace a3sim {
namespace {

// Transfers so small that their startup counts: by the machine's law, startup + bytes / rate.
class CommSmallRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    const TransferLags& lags = of.transfers;
    if (lags.size_now <= 0) return {};
    const double usual = lags.size_usual > 0 ? lags.size_usual : lags.size_now;
    double now = 1, before = 1;
    for (const ObservedPlane& plane : of.of.machine().planes) {
      now = std::min(now, part_of_rate(plane, lags.size_now));
      before = std::min(before, part_of_rate(plane, usual));
    }
    const bool smaller = lags.size_now < data.at("smaller") * usual;
    if (!smaller && now > data.at("slow")) return {};
    if (!smaller && !of.reference.transfers.empty()) return {};  // it was always so
    Finding finding;
    finding.ranks = of.of.all_ranks();
    const std::string place = of.of.place_of(*lags.puts.begin()->second.now.front());
    finding.evidence.push_back(
        {"mean size of a transfer", "B", lags.size_now, data.at("smaller") * usual, place});
    finding.add({"of the rate that large ones reach", "", now, data.at("slow"), place});
    finding.confidence = smaller ? 1 : 1 - now;
    finding.factor = now / before;
    return {finding};
  }

  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    const TransferParts parts = transfer_parts(of, kLine);
    if (!parts.smallest || parts.size > data.at("slow") || !parts.names(parts.size, data.at("room")))
      return {};
    Finding finding = finding_of_transfers(of, parts.size);
    const std::string place = of.of.place_of(*parts.smallest);
    finding.evidence.push_back(
        {"of the rate that large transfers reach", "", parts.size, data.at("slow"), place});
    finding.add({"of the ports' rate", "", parts.port, data.at("room"), place});
    return {finding};
  }

 private:
  static double part_of_rate(const ObservedPlane& plane, double bytes) {
    if (plane.worker <= 0) return 1;
    const double flow = bytes / plane.worker;
    return flow / (flow + seconds(plane.startup));
  }
};

A3SIM_REGISTER(CauseRule, "comm.small", "transfers are too small", CommSmallRule);

}  // namespace
}  // namespace a3sim
