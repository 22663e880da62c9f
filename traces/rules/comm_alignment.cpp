#include <cmath>

#include "traces/rules/rule.h"
#include "traces/rules/slow_links.h"
#include "traces/rules/standing_transfers.h"

namespace a3sim {
namespace {

// Transfers of sizes that are no whole lines.
class CommAlignmentRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    double odd = 0, all = 0, odd_before = 0, all_before = 0;
    const TransferRecord* one = nullptr;
    const auto is_odd = [&](const TransferRecord& put) {
      const double line = data.at("line");
      return put.bytes > line && std::fmod(put.bytes, line) != 0;
    };
    for (const auto& [key, puts] : of.transfers.puts) {
      for (const TransferRecord* put : puts.now) {
        ++all;
        if (!is_odd(*put)) continue;
        ++odd;
        one = put;
      }
      for (const TransferRecord* put : puts.usual) {
        ++all_before;
        odd_before += is_odd(*put);
      }
    }
    double rate = 1;
    for (const ObservedPlane& plane : of.of.machine().planes) rate = std::min(rate, plane.alignment);
    if (!one || odd < data.at("part") * all || rate > data.at("slow")) return {};
    if (all_before > 0 && odd_before >= data.at("part") * all_before) return {};  // it was always so
    Finding finding;
    finding.ranks = of.of.all_ranks();
    finding.factor = rate;
    finding.confidence = communication_share(of);
    finding.evidence.push_back(
        {"transfers of sizes that are no whole lines", "", odd / all, data.at("part"), of.of.place_of(*one)});
    finding.evidence.push_back(
        {"of the rate that whole lines reach", "", rate, data.at("slow"), of.of.place_of(*one)});
    return {finding};
  }

  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    const TransferParts parts = transfer_parts(of, data.at("line"));
    if (parts.odd < data.at("part") || parts.alignment > data.at("slow") ||
        !parts.names(parts.alignment, data.at("room")))
      return {};
    Finding finding = finding_of_transfers(of, parts.alignment);
    const std::string place = of.of.place_of(*parts.one_odd);
    finding.evidence.push_back(
        {"transfers of sizes that are no whole lines", "", parts.odd, data.at("part"), place});
    finding.evidence.push_back(
        {"of the rate that whole lines reach", "", parts.alignment, data.at("slow"), place});
    finding.add({"of the ports' rate", "", parts.port, data.at("room"), place});
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "comm.alignment", "transfers are of sizes that are no whole lines",
               CommAlignmentRule);

}  // namespace
}  // namespace a3sim
