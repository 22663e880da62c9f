#include <cmath>

#include "traces/rules/rule.h"
#include "traces/rules/slow_links.h"
#include "traces/rules/standing_transfers.h"

namespace a3sim {
namespace {

// Transfers that go slower beside memory-bound work than alone.
class CommContentionRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    double bytes[2] = {}, time[2] = {};  // alone, beside
    double beside_before = 0, before = 0;
    const TransferRecord* one = nullptr;
    for (const auto& [key, puts] : of.transfers.puts) {
      for (const TransferRecord* put : puts.now) {
        if (std::isnan(put->beside)) continue;
        const std::size_t how = static_cast<double>(put->beside) > 0.5 ? 1 : 0;
        bytes[how] += put->bytes;
        time[how] += picoseconds(put->length());
        if (how == 1 && (!one || put->length() > one->length())) one = put;
      }
      for (const TransferRecord* put : puts.usual) {
        beside_before += static_cast<double>(put->beside) > 0.5;
        ++before;
      }
    }
    if (!one || time[0] <= 0 || time[1] <= 0) return {};
    const double sharing = (bytes[1] / time[1]) / (bytes[0] / time[0]);
    const double part = time[1] / (time[0] + time[1]);
    if (sharing >= data.at("sharing") || part < data.at("part")) return {};
    if (before > 0 && beside_before >= data.at("part") * before) return {};  // it was always so
    Finding finding;
    finding.ranks = of.of.all_ranks();
    finding.factor = sharing;
    finding.confidence = communication_share(of) * part;
    finding.add({"rate beside memory-bound work, of that alone", "", sharing, data.at("sharing"),
                 of.of.place_of(*one)});
    return {finding};
  }

  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    const TransferParts parts = transfer_parts(of, kLine);
    if (!parts.one_beside || parts.sharing >= data.at("sharing") || parts.beside < data.at("part") ||
        !parts.names(parts.sharing, data.at("room")))
      return {};
    Finding finding = finding_of_transfers(of, 1 - parts.beside * (1 - parts.sharing));
    finding.factor = parts.sharing;
    const std::string place = of.of.place_of(*parts.one_beside);
    finding.add({"rate beside memory-bound work, of that beside other work", "", parts.sharing,
                 data.at("sharing"), place});
    finding.evidence.push_back(
        {"part of the transfers' time beside it", "", parts.beside, data.at("part"), place});
    finding.add({"of the ports' rate", "", parts.port, data.at("room"), place});
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "comm.contention", "transfers and memory-bound work slow each other down",
               CommContentionRule);

}  // namespace
}  // namespace a3sim
