#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "traces/rules/rule.h"
#include "traces/rules/slow_links.h"

namespace a3sim {
namespace {

// Single puts that wait for the timeout behind which a lost packet is sent again: 4.096 us * 2^n.
class CommResendRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    Finding finding;
    double together = 0;
    const std::vector<LatePuts> all = late_puts(of);
    for (const LatePuts& late : all) together = std::max(together, late.together);
    for (const LatePuts& late : all) {
      if (late.count > data.at("part") * late.of || late.together < data.at("among") * together) continue;
      if (late.spread > data.at("spread") || late.excess < data.at("least_ms") * kPicoseconds) continue;
      finding.ranks.push_back(late.src);
      const double n = std::round(std::log2(late.excess / kPacket));
      const std::string place = of.of.place_of(*late.worst);
      finding.evidence.push_back({fmt::format("rank {}: {} of {} puts waited longer than any usual one", late.src,
                                              late.count, late.of),
                                  "ms", late.excess / kPicoseconds, data.at("least_ms"), place});
      finding.evidence.push_back({fmt::format("of a timeout of 4.096 us * 2^{:.0f}", n), "",
                                  late.excess / (kPacket * std::exp2(n)), data.at("timeout"), place});
    }
    if (finding.ranks.empty()) return {};
    std::ranges::sort(finding.ranks);
    finding.confidence = communication_share(of);
    return {finding};
  }

 private:
  static constexpr double kPicoseconds = 1e9;  // a ms
  static constexpr double kPacket = 4.096e6;   // ps
};

A3SIM_REGISTER(CauseRule, "comm.resend", "lost packets are sent again after a timeout", CommResendRule);

}  // namespace
}  // namespace a3sim
