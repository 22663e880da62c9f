#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "sim/core/statistics.h"
#include "sim/diagnosis/rules/rule.h"
#include "sim/diagnosis/rules/slow_links.h"

namespace a3sim {
namespace {

constexpr double kLongestBin = 0.125e9;  // ps
constexpr double kBinsOfStep = 100;

// Bytes and active transfers of a port, by bin of time.
struct PortBins {
  std::vector<double> bytes, busy;
};
PortBins bins_of(const std::vector<const TransferRecord*>& puts, double of_port) {
  PortBins bins;
  if (puts.empty()) return bins;
  Duration first = Duration::max(), last{};
  for (const TransferRecord* put : puts) {
    first = std::min(first, put->start);
    last = std::max(last, put->end);
  }
  constexpr double kMostBins = 100'000;
  const double span = picoseconds(last - first);
  const double bin = std::max(of_port, span / kMostBins);
  const auto count = static_cast<std::size_t>(span / bin) + 1;
  bins.bytes.resize(count);
  bins.busy.resize(count);
  for (const TransferRecord* put : puts) {
    const double from = picoseconds(put->start - first) / bin;
    const double to = picoseconds(put->end - first) / bin;
    if (to <= from) continue;
    for (auto b = static_cast<std::size_t>(from); b < count && static_cast<double>(b) < to; ++b) {
      const double in = std::min(to, static_cast<double>(b) + 1) - std::max(from, static_cast<double>(b));
      bins.bytes[b] += put->bytes * in / (to - from) / bin;
      bins.busy[b] += in;
    }
  }
  return bins;
}

// Describes a port that alternates between its usual rate and a much lower one under the same load: the part
// of its busy time at the low rate, and how often it changes.
struct PortInTime {
  double low = 0;             // part of the busy time
  std::uint32_t changes = 0;  // between low and full, a step
  double period = 0;          // ps from one fall to the next; 0: less than two in a step
};

// Counts how often a port changes between its full rate and a low one, from bins of steps.
class PortStates {
 public:
  PortStates(const RuleData& shared, double most)
      : full_(shared.at("port_full") * most),
        low_(shared.at("port_low") * most),
        enough_(shared.at("port_busy")) {}

  void add(const PortBins& bins) {
    int state = 0;
    std::optional<std::size_t> fell;
    for (std::size_t b = 0; b < bins.bytes.size(); ++b) {
      if (bins.busy[b] < enough_) continue;
      ++busy_;
      const int now = bins.bytes[b] >= full_ ? 1 : bins.bytes[b] <= low_ ? -1 : 0;
      low_bins_ += now < 0;
      if (now != 0 && state != 0 && now != state) ++changes_;
      if (now < 0 && state > 0) {
        if (fell) between_.push_back(static_cast<double>(b - *fell));
        fell = b;
      }
      if (now != 0) state = now;
    }
  }

  double low() const { return busy_ > 0 ? low_bins_ / busy_ : 0; }
  std::uint32_t changes(std::size_t steps) const {
    return static_cast<std::uint32_t>(changes_ / static_cast<double>(std::max<std::size_t>(1, steps)));
  }
  double bins_between_falls() const { return median(between_); }

 private:
  double full_, low_, enough_;
  double busy_ = 0, low_bins_ = 0, changes_ = 0;
  std::vector<double> between_;
};

double highest_rate(const std::vector<const TransferRecord*>& puts, double bin) {
  double most = 0;
  for (const double rate : bins_of(puts, bin).bytes) most = std::max(most, rate);
  return most;
}

PortInTime port_in_time(const Slowdown& slowdown, std::uint32_t rank, bool egress) {
  const double bin = std::min(kLongestBin, slowdown.usual() / kBinsOfStep);
  std::map<std::uint32_t, std::vector<const TransferRecord*>> steps;
  std::vector<const TransferRecord*> usual;
  // The transfers of other ranks, by rank and step. If no usual transfers are known, they show what a full
  // rate is.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const TransferRecord*>> others;
  for (const auto& [key, puts] : slowdown.transfers.puts) {
    const std::uint32_t own = egress ? key.src : key.dst;
    for (const TransferRecord* put : puts.now)
      (own == rank ? steps[put->step] : others[{own, put->step}]).push_back(put);
    if (own == rank) usual.insert(usual.end(), puts.usual.begin(), puts.usual.end());
  }
  double most = highest_rate(usual, bin);
  if (most <= 0)
    for (const auto& [port, puts] : others) most = std::max(most, highest_rate(puts, bin));
  PortInTime in_time;
  if (most <= 0) return in_time;
  PortStates states(slowdown.shared, most);
  for (const auto& [step, puts] : steps) states.add(bins_of(puts, bin));
  in_time.low = states.low();
  in_time.changes = states.changes(steps.size());
  in_time.period = bin * states.bins_between_falls();
  return in_time;
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
      PortInTime in_time;
      if (link.kind == SlowLink::Kind::kPorts)
        in_time = port_in_time(slowdown, link.ranks.front(), link.egress);
      const bool flaps = in_time.changes >= data.at("changes") && in_time.low > 0;
      if (flaps != flapping_) continue;
      Finding& finding = findings.emplace_back(finding_of(slowdown, link, slow));
      if (!flaps) continue;
      const RecordPlace place = finding.evidence.front().place;
      finding.add({fmt::format("changes of rank {}'s port between low and full", link.ranks.front()),
                   "a step", static_cast<double>(in_time.changes), data.at("changes"), place});
      if (in_time.period > 0)
        finding.add(
            {"from one fall of its rate to the next", "ms", in_time.period / kPicosecondsOfMs, 0, place});
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
