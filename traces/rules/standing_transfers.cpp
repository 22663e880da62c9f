#include "traces/rules/standing_transfers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "traces/analysis/stretches.h"

namespace a3sim {
namespace {

// A side of a rank's port to a plane, in one step.
struct PortUse {
  double bytes = 0;
  Stretches busy;
};

const ObservedPlane* plane_of(const Standing& of, const TransferRecord& put) {
  const auto& planes = of.of.machine().planes;
  return put.plane < planes.size() ? &planes[put.plane] : nullptr;
}

// The mean over ranks, by the time that something is under way, of the busier side of each port.
double part_of_ports(const Standing& of) {
  double sum = 0, weights = 0;
  for (const FullStep& step : of.full) {
    std::map<std::tuple<std::uint32_t, std::uint16_t, bool>, PortUse> ports;
    for (const TransferRecord& put : step.transfers) {
      for (const bool egress : {true, false}) {
        PortUse& use = ports[{egress ? put.src : put.dst, put.plane, egress}];
        use.bytes += put.bytes;
        use.busy.emplace_back(put.start, put.end);
      }
    }
    std::map<std::pair<std::uint32_t, std::uint16_t>, std::pair<double, double>> ranks;  // part, time
    for (auto& [key, use] : ports) {
      const auto& [rank, plane, egress] = key;
      if (plane >= of.of.machine().planes.size()) continue;
      unite(use.busy);
      const double time = seconds(length_of(use.busy)), port = of.of.machine().planes[plane].port;
      if (time <= 0 || port <= 0) continue;
      auto& [part, weight] = ranks[{rank, plane}];
      part = std::max(part, use.bytes / time / port);
      weight = std::max(weight, time);
    }
    for (const auto& [key, of_rank] : ranks) {
      sum += of_rank.first * of_rank.second;
      weights += of_rank.second;
    }
  }
  return weights > 0 ? sum / weights : 0;
}

}  // namespace

TransferParts transfer_parts(const Standing& of, double line) {
  TransferParts parts;
  double flow = 0, with_startup = 0, whole = 0, all = 0, odd = 0;
  double bytes[2] = {}, time[2] = {};  // beside what cores limit, beside memory-bound work
  for (const FullStep& step : of.full) {
    for (const TransferRecord& put : step.transfers) {
      const ObservedPlane* plane = plane_of(of, put);
      if (!plane || put.bytes <= 0) continue;
      ++all;
      if (!parts.smallest || put.bytes < parts.smallest->bytes) parts.smallest = &put;
      const bool is_odd = put.bytes > line && std::fmod(put.bytes, line) != 0;
      odd += is_odd;
      if (is_odd && !parts.one_odd) parts.one_odd = &put;
      if (plane->worker > 0) {
        const double alone = put.bytes / plane->worker;
        flow += alone;
        with_startup += alone + seconds(plane->startup);
        whole += alone / (is_odd ? plane->alignment : 1);
      }
      if (std::isnan(put.beside)) continue;
      const std::size_t how = static_cast<double>(put.beside) > 0.5 ? 1 : 0;
      bytes[how] += put.bytes;
      time[how] += seconds(put.length());
      if (how == 1 && (!parts.one_beside || put.length() > parts.one_beside->length()))
        parts.one_beside = &put;
    }
  }
  if (all == 0) return parts;
  parts.odd = odd / all;
  if (with_startup > 0) {
    parts.size = flow / with_startup;
    parts.alignment = flow / whole;
  }
  if (time[0] > 0 && time[1] > 0 && bytes[0] > 0) {
    parts.sharing = std::min(1.0, (bytes[1] / time[1]) / (bytes[0] / time[0]));
    parts.beside = time[1] / (time[0] + time[1]);
  }
  parts.port = part_of_ports(of);
  return parts;
}

Finding finding_of_transfers(const Standing& of, double part) {
  Finding finding;
  std::map<std::uint32_t, double> sooner;
  for (std::uint32_t rank = 0; rank < of.mean.size(); ++rank) {
    finding.ranks.push_back(rank);
    if (const std::optional<Standing::Lanes> lanes = of.lanes(rank))
      sooner[rank] = lanes->communication * (1 - part);
  }
  finding.factor = part;
  finding.lost_ms = of.gain(of.of_all(sooner)) / kPicosecondsOfMs;
  finding.confidence = 1;
  return finding;
}

}  // namespace a3sim
