#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

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
  double alone = 0;                  // part of them while other puts of both ends took their usual time
  const TransferRecord* worst = nullptr;
};

// The time that puts usually take at most, and the middle one of those recorded now, in ps.
struct UsualPuts {
  double longest = 0, median = 0;
  double most() const { return std::max(longest, median); }
};

UsualPuts usual_of(const Puts& puts) {
  constexpr std::size_t kTenth = 10;
  UsualPuts usual;
  std::vector<double> now;
  for (const TransferRecord* put : puts.now) now.push_back(picoseconds(put->length()));
  for (const TransferRecord* put : puts.usual)
    usual.longest = std::max(usual.longest, picoseconds(put->length()));
  if (now.empty()) return usual;
  std::ranges::sort(now);
  usual.median = now[now.size() / 2];
  if (puts.usual.empty()) usual.longest = now[now.size() - 1 - now.size() / kTenth];
  return usual;
}

// The puts that took no longer than usual, by step and by the rank at one of their ends.
struct OnTime {
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // step, rank
  std::map<Key, std::vector<const TransferRecord*>> from, to;
};

OnTime puts_on_time(const Slowdown& slowdown) {
  OnTime on_time;
  for (const auto& [key, puts] : slowdown.transfers.puts) {
    const double most = usual_of(puts).most();
    for (const TransferRecord* put : puts.now) {
      if (picoseconds(put->length()) > most) continue;
      on_time.from[{put->step, put->src}].push_back(put);
      on_time.to[{put->step, put->dst}].push_back(put);
    }
  }
  return on_time;
}

// Returns whether meanwhile puts from the same rank, and puts to the same one, took no longer than usual: neither port
// was slow.
bool others_went(const OnTime& on_time, const TransferRecord& late) {
  const auto any = [&](const auto& puts, std::uint32_t rank) {
    const auto found = puts.find({late.step, rank});
    return found != puts.end() && std::ranges::any_of(found->second, [&](const TransferRecord* put) {
             const Duration meanwhile = put->end - std::max(put->start, late.start);
             return 2 * meanwhile >= put->length() && put->end < late.end;
           });
  };
  return any(on_time.from, late.src) && any(on_time.to, late.dst);
}

// Returns a wait relative to the nearest timeout.
double of_timeout(double excess) {
  return excess / (kPacket * std::exp2(std::round(std::log2(excess / kPacket))));
}

bool is_late(const TransferRecord& put, const UsualPuts& usual, double late_put) {
  return picoseconds(put.length()) - usual.median > late_put * usual.most();
}

// Returns whether puts of one operator and path are late in most of several steps. Packets are lost by chance, now on
// this way, now on that.
bool is_late_in_most_steps(const Puts& puts, const UsualPuts& usual, double late_put) {
  std::set<std::uint32_t> late, all;
  for (const TransferRecord* put : puts.now) {
    all.insert(put->step);
    if (is_late(*put, usual, late_put)) late.insert(put->step);
  }
  return all.size() > 1 && 2 * late.size() > all.size();
}

// Returns the ways in each step on which most puts are late, of several operators: the way itself was slow in that step.
using WayInStep = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // step, source, destination
std::set<WayInStep> slow_ways(const Slowdown& slowdown, double late_put) {
  constexpr std::uint32_t kLeastPuts = 4;
  std::map<WayInStep, std::pair<std::uint32_t, std::uint32_t>> ways;  // late, all
  for (const auto& [key, puts] : slowdown.transfers.puts) {
    const UsualPuts usual = usual_of(puts);
    for (const TransferRecord* put : puts.now) {
      auto& [late, all] = ways[{put->step, put->src, put->dst}];
      ++all;
      late += is_late(*put, usual, late_put);
    }
  }
  std::set<WayInStep> slow;
  for (const auto& [way, counts] : ways)
    if (counts.second >= kLeastPuts && 2 * counts.first >= counts.second) slow.insert(way);
  return slow;
}

std::vector<LatePuts> late_puts(const Slowdown& slowdown) {
  struct Late {
    std::vector<std::pair<double, const TransferRecord*>> puts;
    std::uint32_t all = 0, alone = 0;
  };
  std::map<std::uint32_t, Late> by_src;
  const double late_put = slowdown.shared.at("late_put");
  const OnTime on_time = puts_on_time(slowdown);
  const std::set<WayInStep> slow = slow_ways(slowdown, late_put);
  for (const auto& [key, puts] : slowdown.transfers.puts) {
    const UsualPuts usual = usual_of(puts);
    Late& late = by_src[key.src];
    late.all += static_cast<std::uint32_t>(puts.now.size());
    if (is_late_in_most_steps(puts, usual, late_put)) continue;
    for (const TransferRecord* put : puts.now) {
      if (!is_late(*put, usual, late_put) || slow.contains({put->step, put->src, put->dst})) continue;
      late.puts.emplace_back(picoseconds(put->length()) - usual.median, put);
      late.alone += others_went(on_time, *put);
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
      const double timeout = of_timeout(late.excess);
      if (timeout < data.at("timeout") || timeout > 1 / data.at("timeout")) continue;
      finding.ranks.push_back(late.src);
      const double n = std::round(std::log2(late.excess / kPacket));
      const RecordPlace place = slowdown.observation.place_of(*late.worst);
      finding.add({fmt::format("{1} of {2} puts of rank {0} waited {{}} longer than any usual one", late.src,
                               late.count, late.all),
                   "ms", late.excess / kPicosecondsOfMs, least / kPicosecondsOfMs, place});
      finding.add({fmt::format("that is {{}} of a timeout of 4.096 us * 2^{:.0f}", n), "", timeout,
                   data.at("timeout"), place});
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
