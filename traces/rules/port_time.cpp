#include "traces/rules/port_time.h"

#include <algorithm>
#include <map>
#include <vector>

namespace a3sim {
namespace {

constexpr double kBin = 0.125e9;  // ps

// Bytes and transfers under way at a port, by bin of time.
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
  const double span = static_cast<double>((last - first).count());
  const double bin = std::max(kBin, span / kMostBins);
  const auto count = static_cast<std::size_t>(span / bin) + 1;
  bins.bytes.resize(count);
  bins.busy.resize(count);
  for (const TransferRecord* put : puts) {
    const double from = static_cast<double>((put->start - first).count()) / bin;
    const double to = static_cast<double>((put->end - first).count()) / bin;
    if (to <= from) continue;
    for (auto b = static_cast<std::size_t>(from); b < count && static_cast<double>(b) < to; ++b) {
      const double in = std::min(to, static_cast<double>(b) + 1) - std::max(from, static_cast<double>(b));
      bins.bytes[b] += put->bytes * in / (to - from) / bin;
      bins.busy[b] += in;
    }
  }
  return bins;
}

}  // namespace

PortInTime port_in_time(const Case& of, std::uint32_t rank, bool egress) {
  std::map<std::uint32_t, std::vector<const TransferRecord*>> steps;
  std::vector<const TransferRecord*> usual;
  for (const auto& [key, puts] : of.transfers.puts) {
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
  const double full = of.shared.at("port_full"), little = of.shared.at("port_low"),
               enough = of.shared.at("port_busy");
  double low = 0, busy = 0, changes = 0;
  for (const auto& [step, puts] : steps) {
    const PortBins bins = bins_of(puts);
    int state = 0;
    for (std::size_t b = 0; b < bins.bytes.size(); ++b) {
      if (bins.busy[b] < enough) continue;
      in_time.peak = std::max(in_time.peak, bins.bytes[b] / most);
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

}  // namespace a3sim
