#include "bench/score/vendor.h"

#include <map>

#include "sim/core/units.h"

namespace a3sim {
namespace {

constexpr Duration kLoad{10'000'000'000};      // ps: loading a batch
constexpr Duration kCollect{1'000'000'000};    // a garbage collection
constexpr Duration kAllocate{10'000'000'000};  // allocating, freeing
constexpr double kCompiles = 20;
constexpr double kSyncs = 0.5;      // per launch
constexpr double kBandwidth = 0.8;  // part of the port's
constexpr double kRank = 1.05;      // slow if above this multiple of the ranks' mean

using Found = VendorFindings;

void look_at_hosts(const FullStep& step, Found& found) {
  std::map<std::uint32_t, std::map<HostKind, double>> counts;
  for (const HostRecord& event : step.host) {
    counts[event.rank][event.kind] += event.count;
    const Duration took = event.end - event.start;
    if (event.kind == HostKind::kRead && took > kLoad) found.emplace("io.read", event.rank);
    if (event.kind == HostKind::kProcess && took > kLoad) found.emplace("io.process", event.rank);
    if (event.kind == HostKind::kFetch && took > kLoad) found.emplace("io.fetch", event.rank);
    if (event.kind == HostKind::kCollect && took >= kCollect) found.emplace("host.gc", event.rank);
    if (event.kind == HostKind::kAllocate && took > kAllocate) found.emplace("host.memory", event.rank);
  }
  for (auto& [rank, count] : counts) {
    if (count[HostKind::kCompile] > kCompiles) found.emplace("host.compile", rank);
    if (count[HostKind::kSync] > kSyncs * count[HostKind::kLaunch]) found.emplace("host.sync", rank);
  }
}

void look_at_links(const FullStep& step, const ObservedMachine& machine, Found& found) {
  struct Sum {
    double bytes = 0, time = 0, port = 0;
  };
  std::map<std::uint32_t, Sum> sums;
  for (const TransferRecord& transfer : step.transfers) {
    Sum& sum = sums[transfer.src];
    sum.bytes += transfer.bytes;
    sum.time += seconds(transfer.end - transfer.start);
    if (transfer.plane < machine.planes.size()) sum.port = machine.planes[transfer.plane].worker;
  }
  for (const auto& [rank, sum] : sums)
    if (sum.time > 0 && sum.bytes / sum.time < kBandwidth * sum.port) found.emplace("comm.link", rank);
}

void look_at_ranks(const FullStep& step, Found& found) {
  std::map<std::uint32_t, double> busy;
  for (const OperatorRecord& record : step.operators)
    if (record.lane == Lane::kCompute) busy[record.rank] += seconds(record.run);
  double mean = 0;
  for (const auto& [rank, time] : busy) mean += time / static_cast<double>(busy.size());
  for (const auto& [rank, time] : busy)
    if (time > kRank * mean) found.emplace("compute.clock", rank);
}

}  // namespace

VendorFindings vendor_findings(const Observation& observation) {
  Found found;
  for (const std::uint32_t number : observation.full_steps()) {
    const FullStep step = observation.full(number);
    look_at_hosts(step, found);
    look_at_links(step, observation.machine(), found);
    look_at_ranks(step, found);
  }
  return found;
}

}  // namespace a3sim
