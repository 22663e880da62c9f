#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/diagnosis/rules/rule.h"
#include "sim/diagnosis/rules/slow_links.h"

namespace a3sim {
namespace {

constexpr double kPacket = 4.096e6;  // ps

// Puts of a rank that waited much longer than any usual put, all for about the same time.
struct LatePuts {
  std::uint32_t src = kNone;
  std::uint32_t count = 0, all = 0;  // late puts; all puts of the rank
  double excess = 0;                 // median, in ps
  double spread = 0;                 // (largest - smallest) / median
  double together = 0;               // sum, in ps per step
  double alone = 0;                  // part of them while other puts took the same path at the usual rate
  const TransferRecord* worst = nullptr;
};

std::vector<LatePuts> late_puts(const Slowdown& slowdown) {
  struct Late {
    std::vector<std::pair<double, const TransferRecord*>> puts;
    std::uint32_t all = 0, alone = 0;
  };
  std::map<std::uint32_t, Late> by_src;
  const double late_put = slowdown.shared.at("late_put");
  for (const auto& [key, puts] : slowdown.transfers.puts) {
    std::vector<double> now;
    double longest = 0;
    for (const TransferRecord* put : puts.now) now.push_back(picoseconds(put->length()));
    for (const TransferRecord* put : puts.usual) longest = std::max(longest, picoseconds(put->length()));
    std::ranges::sort(now);
    const double median = now.empty() ? 0 : now[now.size() / 2];
    constexpr std::size_t kTenth = 10;
    if (puts.usual.empty() && !now.empty()) longest = now[now.size() - 1 - now.size() / kTenth];
    Late& late = by_src[key.src];
    late.all += static_cast<std::uint32_t>(puts.now.size());
    for (const TransferRecord* put : puts.now) {
      if (picoseconds(put->length()) - median <= late_put * std::max(longest, median)) continue;
      late.puts.emplace_back(picoseconds(put->length()) - median, put);
      late.alone += std::ranges::any_of(puts.now, [&](const TransferRecord* other) {
        return other != put && other->step == put->step && other->start >= put->start &&
               other->end < put->end && picoseconds(other->length()) <= std::max(longest, median);
      });
    }
  }
  std::vector<LatePuts> found;
  for (auto& [src, late] : by_src) {
    if (late.puts.empty()) continue;
    std::ranges::sort(late.puts);
    LatePuts of_src;
    of_src.src = src;
    of_src.count = static_cast<std::uint32_t>(late.puts.size());
    of_src.all = late.all;
    of_src.alone = static_cast<double>(late.alone) / of_src.count;
    of_src.excess = late.puts[late.puts.size() / 2].first;
    of_src.spread = (late.puts.back().first - late.puts.front().first) / of_src.excess;
    of_src.worst = late.puts.back().second;
    for (const auto& [excess, put] : late.puts) of_src.together += excess;
    of_src.together /= static_cast<double>(std::max<std::size_t>(1, slowdown.full.size()));
    found.push_back(of_src);
  }
  return found;
}

// Puts that wait for the timeout after which a lost packet is sent again: 4.096 us * 2^n.
class CommResendRule final : public CauseRule {
 public:
  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    Finding finding;
    double together = 0;
    const std::vector<LatePuts> all = late_puts(slowdown);
    for (const LatePuts& late : all) together = std::max(together, late.together);
    const double least = felt_time(data, slowdown.shared, slowdown.usual());
    for (const LatePuts& late : all) {
      if (late.count > data.at("part") * late.all || late.together < data.at("among") * together) continue;
      if (late.spread > data.at("spread") || late.alone < data.at("alone") || late.excess < least) continue;
      finding.ranks.push_back(late.src);
      const double n = std::round(std::log2(late.excess / kPacket));
      const RecordPlace place = slowdown.observation.place_of(*late.worst);
      finding.add({fmt::format("rank {}: {} of {} puts waited longer than any usual one", late.src,
                               late.count, late.all),
                   "ms", late.excess / kPicosecondsOfMs, least / kPicosecondsOfMs, place});
      finding.add({fmt::format("of a timeout of 4.096 us * 2^{:.0f}", n), "",
                   late.excess / (kPacket * std::exp2(n)), data.at("timeout"), place});
    }
    if (finding.ranks.empty()) return {};
    std::ranges::sort(finding.ranks);
    finding.explains = communication_share(slowdown);
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "comm.resend", "lost packets are sent again after a timeout", CommResendRule);

}  // namespace
}  // namespace a3sim
