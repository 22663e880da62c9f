#include "sim/study/score/vendor.h"

#include <algorithm>
#include <map>

namespace a3sim {
namespace {

constexpr Duration kLoad{10'000'000'000};      // ps: loading a batch
constexpr Duration kCollect{1'000'000'000};    // a garbage collection
constexpr Duration kAllocate{10'000'000'000};  // allocating, freeing
constexpr double kCompiles = 20;
constexpr double kSyncs = 0.5;      // of launches
constexpr double kBandwidth = 0.8;  // of the port's
constexpr double kRank = 1.05;      // of the mean of ranks: a slow one

using Found = std::set<std::pair<std::string, std::uint32_t>>;

void look_at_hosts(const FullStep& step, Found& found) {
  std::map<std::uint32_t, std::map<HostKind, double>> counts;
  for (const HostRecord& of : step.host) {
    counts[of.rank][of.kind] += of.count;
    const Duration took = of.end - of.start;
    if (of.kind == HostKind::kRead && took > kLoad) found.emplace("io.read", of.rank);
    if (of.kind == HostKind::kProcess && took > kLoad) found.emplace("io.process", of.rank);
    if (of.kind == HostKind::kFetch && took > kLoad) found.emplace("io.fetch", of.rank);
    if (of.kind == HostKind::kCollect && took >= kCollect) found.emplace("host.gc", of.rank);
    if (of.kind == HostKind::kAllocate && took > kAllocate) found.emplace("host.memory", of.rank);
  }
  for (auto& [rank, of] : counts) {
    if (of[HostKind::kCompile] > kCompiles) found.emplace("host.compile", rank);
    if (of[HostKind::kSync] > kSyncs * of[HostKind::kLaunch]) found.emplace("host.sync", rank);
  }
}

void look_at_links(const FullStep& step, const ObservedMachine& machine, Found& found) {
  struct Sum {
    double bytes = 0, time = 0, port = 0;
  };
  std::map<std::uint32_t, Sum> sums;
  for (const TransferRecord& of : step.transfers) {
    Sum& sum = sums[of.src];
    sum.bytes += of.bytes;
    sum.time += seconds(of.end - of.start);
    sum.port = machine.planes[of.plane].worker;
  }
  for (const auto& [rank, sum] : sums)
    if (sum.time > 0 && sum.bytes / sum.time < kBandwidth * sum.port) found.emplace("comm.link", rank);
}

void look_at_ranks(const FullStep& step, Found& found) {
  std::map<std::uint32_t, double> busy;
  for (const OperatorRecord& of : step.operators)
    if (of.lane == Lane::kCompute) busy[of.rank] += seconds(of.run);
  double mean = 0;
  for (const auto& [rank, time] : busy) mean += time / static_cast<double>(busy.size());
  for (const auto& [rank, time] : busy)
    if (time > kRank * mean) found.emplace("compute.clock", rank);
}

}  // namespace

Found vendor_findings(const Observation& of) {
  Found found;
  for (const std::uint32_t number : of.full_steps()) {
    const FullStep step = of.full(number);
    look_at_hosts(step, found);
    look_at_links(step, of.machine(), found);
    look_at_ranks(step, found);
  }
  return found;
}

}  // namespace a3sim
