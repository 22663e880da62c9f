#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "sim/diagnosis/rules/rule.h"
#include "sim/diagnosis/rules/slow_links.h"
#include "traces/analysis/stretches.h"

// Transfers that are slow because of their own sizes or the work beside them.
namespace a3sim {
namespace {

constexpr double kLine = 512;  // bytes

// Explains why transfers are slower than the ports: rate / port = size * alignment * sharing * rest.
struct TransferParts {
  // Part of the ports' rate while a transfer is active: the busier side of each rank, mean over ranks.
  double port = 1;
  // Part of the rate of large transfers, by the machine's law: bytes / (startup * rate + bytes).
  double size = 1;
  double alignment = 1;  // part of the rate of transfers of whole lines
  double sharing = 1;    // rate beside memory-bound work relative to that beside other work; 1: not recorded
  double odd = 0;        // part of the transfers that are no whole lines
  double beside = 0;     // part of their time beside memory-bound work
  const TransferRecord *smallest = nullptr, *one_odd = nullptr, *one_beside = nullptr;

  // Returns whether ports have room and `part` is the smallest of the three parts.
  bool names(double part, double room) const {
    return port > 0 && port < room && part <= size && part <= alignment && part <= sharing;
  }
};

// Returns whether a transfer is not a whole number of lines.
bool is_odd(const TransferRecord& put, double line) {
  return put.bytes > line && std::fmod(put.bytes, line) != 0;
}

// One side of a rank's port to a plane, in one step.
struct PortUse {
  double bytes = 0;
  Stretches busy;
};

const ObservedPlane* plane_of(const SteadyState& job, const TransferRecord& put) {
  const auto& planes = job.observation.machine().planes;
  return put.plane < planes.size() ? &planes[put.plane] : nullptr;
}

// Returns the mean over ranks of the busier side of each port, weighted by active time.
double part_of_ports(const SteadyState& job) {
  double sum = 0, weights = 0;
  for (const FullStep& step : job.full) {
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
      if (plane >= job.observation.machine().planes.size()) continue;
      unite(use.busy);
      const double time = seconds(length_of(use.busy)), port = job.observation.machine().planes[plane].port;
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

// `line` is the size of a line in bytes.
TransferParts transfer_parts(const SteadyState& job, double line) {
  TransferParts parts;
  double flow = 0, with_startup = 0, whole = 0, all = 0, odd = 0;
  double bytes[2] = {}, time[2] = {};  // beside compute-bound and memory-bound work
  for (const FullStep& step : job.full) {
    for (const TransferRecord& put : step.transfers) {
      const ObservedPlane* plane = plane_of(job, put);
      if (!plane || put.bytes <= 0) continue;
      ++all;
      if (!parts.smallest || put.bytes < parts.smallest->bytes) parts.smallest = &put;
      const bool no_whole_lines = is_odd(put, line);
      odd += no_whole_lines;
      if (no_whole_lines && !parts.one_odd) parts.one_odd = &put;
      if (plane->worker > 0) {
        const double alone = put.bytes / plane->worker;
        flow += alone;
        with_startup += alone + seconds(plane->startup);
        whole += alone / (no_whole_lines ? plane->alignment : 1);
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
  parts.port = part_of_ports(job);
  return parts;
}

// Transfers so small that their startup matters, by the machine's law: startup + bytes / rate.
class CommSmallRule final : public CauseRule {
 public:
  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    const TransferLags& lags = slowdown.transfers;
    if (lags.size_now <= 0) return {};
    const double usual = lags.size_usual > 0 ? lags.size_usual : lags.size_now;
    double now = 1, before = 1;
    for (const ObservedPlane& plane : slowdown.observation.machine().planes) {
      now = std::min(now, part_of_rate(plane, lags.size_now));
      before = std::min(before, part_of_rate(plane, usual));
    }
    const bool smaller = lags.size_now < data.at("smaller") * usual;
    if (!smaller && now > data.at("slow")) return {};
    if (!smaller && !slowdown.reference.transfers.empty()) return {};  // it is usual
    Finding finding;
    finding.ranks = slowdown.observation.all_ranks();
    const RecordPlace place = slowdown.observation.place_of(*lags.puts.begin()->second.now.front());
    finding.add({"a transfer has {} in the mean", "B", lags.size_now, data.at("smaller") * usual, place});
    finding.add({"it reaches {} of the rate of large ones", "", now, data.at("slow"), place});
    finding.explains = smaller ? 1 : 1 - now;
    finding.factor = now / before;
    return {finding};
  }

  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    const TransferParts parts = transfer_parts(job, kLine);
    if (!parts.smallest || parts.size > data.at("slow") || !parts.names(parts.size, data.at("room")))
      return {};
    Finding finding = finding_of_transfers(job, parts.size);
    const RecordPlace place = job.observation.place_of(*parts.smallest);
    finding.add({"transfers reach {} of the rate of large ones", "", parts.size, data.at("slow"), place});
    finding.add({"transfers use {} of the ports' rate", "", parts.port, data.at("room"), place});
    return {finding};
  }

 private:
  static double part_of_rate(const ObservedPlane& plane, double bytes) {
    if (plane.worker <= 0) return 1;
    const double flow = bytes / plane.worker;
    return flow / (flow + seconds(plane.startup));
  }
};

// Transfers whose sizes are not whole lines.
class CommAlignmentRule final : public CauseRule {
 public:
  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    double odd = 0, all = 0, odd_before = 0, all_before = 0;
    const TransferRecord* one = nullptr;
    const double line = data.at("line");
    for (const auto& [key, puts] : slowdown.transfers.puts) {
      for (const TransferRecord* put : puts.now) {
        ++all;
        if (!is_odd(*put, line)) continue;
        ++odd;
        one = put;
      }
      for (const TransferRecord* put : puts.usual) {
        ++all_before;
        odd_before += is_odd(*put, line);
      }
    }
    double rate = 1;
    for (const ObservedPlane& plane : slowdown.observation.machine().planes)
      rate = std::min(rate, plane.alignment);
    if (!one || odd < data.at("part") * all || rate > data.at("slow")) return {};
    if (all_before > 0 && odd_before >= data.at("part") * all_before) return {};  // it is usual
    Finding finding;
    finding.ranks = slowdown.observation.all_ranks();
    finding.factor = rate;
    finding.explains = communication_share(slowdown);
    finding.add({"{} of the transfers have sizes that are no whole lines", "", odd / all, data.at("part"),
                 slowdown.observation.place_of(*one)});
    finding.add({"these reach {} of the rate of whole lines", "", rate, data.at("slow"),
                 slowdown.observation.place_of(*one)});
    return {finding};
  }

  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    const TransferParts parts = transfer_parts(job, data.at("line"));
    if (parts.odd < data.at("part") || parts.alignment > data.at("slow") ||
        !parts.names(parts.alignment, data.at("room")))
      return {};
    Finding finding = finding_of_transfers(job, parts.alignment);
    const RecordPlace place = job.observation.place_of(*parts.one_odd);
    finding.add(
        {"{} of the transfers have sizes that are no whole lines", "", parts.odd, data.at("part"), place});
    finding.add({"these reach {} of the rate of whole lines", "", parts.alignment, data.at("slow"), place});
    finding.add({"transfers use {} of the ports' rate", "", parts.port, data.at("room"), place});
    return {finding};
  }
};

// Transfers that are slower beside memory-bound work than alone.
class CommContentionRule final : public CauseRule {
 public:
  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    double bytes[2] = {}, time[2] = {};  // alone, beside
    double beside_before = 0, before = 0;
    const TransferRecord* one = nullptr;
    for (const auto& [key, puts] : slowdown.transfers.puts) {
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
    if (before > 0 && beside_before >= data.at("part") * before) return {};  // it is usual
    Finding finding;
    finding.ranks = slowdown.observation.all_ranks();
    finding.factor = sharing;
    finding.explains = communication_share(slowdown) * part;
    finding.add({"during memory-bound work transfers have {} of their rate alone", "", sharing,
                 data.at("sharing"), slowdown.observation.place_of(*one)});
    return {finding};
  }

  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    const TransferParts parts = transfer_parts(job, kLine);
    if (!parts.one_beside || parts.sharing >= data.at("sharing") || parts.beside < data.at("part") ||
        !parts.names(parts.sharing, data.at("room")))
      return {};
    Finding finding = finding_of_transfers(job, 1 - parts.beside * (1 - parts.sharing));
    finding.factor = parts.sharing;
    const RecordPlace place = job.observation.place_of(*parts.one_beside);
    finding.add({"during memory-bound work transfers have {} of their rate during other work", "",
                 parts.sharing, data.at("sharing"), place});
    finding.add({"{} of the transfers' time is during it", "", parts.beside, data.at("part"), place});
    finding.add({"transfers use {} of the ports' rate", "", parts.port, data.at("room"), place});
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "comm.small", "transfers are too small", CommSmallRule);
A3SIM_REGISTER(CauseRule, "comm.alignment", "transfers are of sizes that are no whole lines",
               CommAlignmentRule);
A3SIM_REGISTER(CauseRule, "comm.contention", "transfers and memory-bound work slow each other down",
               CommContentionRule);

}  // namespace
}  // namespace a3sim
