#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/diagnosis/rules/rule.h"
#include "sim/diagnosis/rules/slow_links.h"

namespace a3sim {
namespace {

constexpr double kPacket = 4.096e6;  // ps

// Single puts that waited much longer than any usual one, all about as long.
struct LatePuts {
  std::uint32_t src = kNone;
  std::uint32_t count = 0, of = 0;  // late ones; all of the rank
  double excess = 0;                // ps, median
  double spread = 0;                // of it: (largest - smallest) / median
  double together = 0;              // ps a step
  double alone = 0;                 // part of them beside which others went the same way as ever
  const TransferRecord* worst = nullptr;
};

std::vector<LatePuts> late_puts(const Case& of) {
  struct Late {
    std::vector<std::pair<double, const TransferRecord*>> puts;
    std::uint32_t all = 0, alone = 0;
  };
  std::map<std::uint32_t, Late> by_src;
  const double late_put = of.shared.at("late_put");
  for (const auto& [key, puts] : of.transfers.puts) {
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
        return other->step == put->step && other->start > put->start && other->end < put->end &&
               picoseconds(other->length()) <= std::max(longest, median);
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
    of_src.of = late.all;
    of_src.alone = static_cast<double>(late.alone) / of_src.count;
    of_src.excess = late.puts[late.puts.size() / 2].first;
    of_src.spread = (late.puts.back().first - late.puts.front().first) / of_src.excess;
    of_src.worst = late.puts.back().second;
    for (const auto& [excess, put] : late.puts) of_src.together += excess;
    of_src.together /= static_cast<double>(std::max<std::size_t>(1, of.full.size()));
    found.push_back(of_src);
  }
  return found;
}

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
      if (late.spread > data.at("spread") || late.alone < data.at("alone") ||
          late.excess < data.at("least_ms") * kPicosecondsOfMs)
        continue;
      finding.ranks.push_back(late.src);
      const double n = std::round(std::log2(late.excess / kPacket));
      const std::string place = of.of.place_of(*late.worst);
      finding.add({fmt::format("rank {}: {} of {} puts waited longer than any usual one", late.src,
                               late.count, late.of),
                   "ms", late.excess / kPicosecondsOfMs, data.at("least_ms"), place});
      finding.add({fmt::format("of a timeout of 4.096 us * 2^{:.0f}", n), "",
                   late.excess / (kPacket * std::exp2(n)), data.at("timeout"), place});
    }
    if (finding.ranks.empty()) return {};
    std::ranges::sort(finding.ranks);
    finding.confidence = communication_share(of);
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "comm.resend", "lost packets are sent again after a timeout", CommResendRule);

}  // namespace
}  // namespace a3sim
