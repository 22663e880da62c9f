#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/diagnosis/rules/rule.h"
#include "sim/diagnosis/rules/slow_links.h"

namespace a3sim {
namespace {

constexpr double kBin = 0.125e9;  // ps

// Bytes and active transfers of a port, by bin of time.
struct PortBins {
  std::vector<double> bytes, busy;
};
PortBins bins_of(const std::vector<const TransferRecord*>& puts) {
  PortBins bins;
  if (puts.empty()) return bins;
  Duration first = Duration::max(), last{};
  for (const TransferRecord* put : puts) {
    first = std::min(first, put->start);
    last = std::max(last, put->end);
  }
  constexpr double kMostBins = 100'000;
  const double span = picoseconds(last - first);
  const double bin = std::max(kBin, span / kMostBins);
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
};
PortInTime port_in_time(const Slowdown& slowdown, std::uint32_t rank, bool egress) {
  std::map<std::uint32_t, std::vector<const TransferRecord*>> steps;
  std::vector<const TransferRecord*> usual;
  for (const auto& [key, puts] : slowdown.transfers.puts) {
    if ((egress ? key.src : key.dst) != rank) continue;
    for (const TransferRecord* put : puts.now) steps[put->step].push_back(put);
    usual.insert(usual.end(), puts.usual.begin(), puts.usual.end());
  }
  PortInTime in_time;
  const PortBins before = bins_of(usual);
  double most = 0;
  for (const double rate : before.bytes) most = std::max(most, rate);
  if (most <= 0)
    for (const auto& [step, puts] : steps)
      for (const double rate : bins_of(puts).bytes) most = std::max(most, rate);
  if (most <= 0) return in_time;
  const double full = slowdown.shared.at("port_full"), little = slowdown.shared.at("port_low"),
               enough = slowdown.shared.at("port_busy");
  double low = 0, busy = 0, changes = 0;
  for (const auto& [step, puts] : steps) {
    const PortBins bins = bins_of(puts);
    int state = 0;
    for (std::size_t b = 0; b < bins.bytes.size(); ++b) {
      if (bins.busy[b] < enough) continue;
      ++busy;
      const int now = bins.bytes[b] >= full * most ? 1 : bins.bytes[b] <= little * most ? -1 : 0;
      low += now < 0;
      if (now != 0 && state != 0 && now != state) ++changes;
      if (now != 0) state = now;
    }
  }
  in_time.low = busy > 0 ? low / busy : 0;
  in_time.changes =
      static_cast<std::uint32_t>(changes / static_cast<double>(std::max<std::size_t>(1, steps.size())));
  return in_time;
}

// Slow ports and paths: permanently slow, or ports that are slow for a while again and again.
class CommLinkRule final : public CauseRule {
 public:
  explicit CommLinkRule(bool flapping) : flapping_(flapping) {}

  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    std::vector<Finding> findings;
    for (const SlowLink& link : slow_links(slowdown, data.at("slow"))) {
      if (link.kind == SlowLink::Kind::kAll) continue;
      PortInTime in_time;
      if (link.kind == SlowLink::Kind::kPort) in_time = port_in_time(slowdown, link.rank, link.egress);
      const bool flaps = in_time.changes >= data.at("changes") && in_time.low > 0;
      if (flaps != flapping_) continue;
      Finding& finding = findings.emplace_back(finding_of(slowdown, link, data.at("slow")));
      if (flaps)
        finding.add({fmt::format("changes of rank {}'s port between low and full", link.rank), "a step",
                     static_cast<double>(in_time.changes), data.at("changes"),
                     finding.evidence.front().place});
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

// All transfers are equally slow, and no other cause of slow communication holds.
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
