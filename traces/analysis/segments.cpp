#include "traces/analysis/segments.h"

#include <algorithm>
#include <array>
#include <map>

namespace a3sim {
namespace {

// For each time and lane, the number of events that begin, less those that end.
using Changes = std::map<std::int64_t, std::array<int, kCountOf<Lane>>>;

void add(Changes& changes, Lane lane, Duration from, Duration to, Duration start, Duration end) {
  from = std::max(from, start);
  to = std::min(to, end);
  if (from >= to) return;
  ++changes[from.count()][static_cast<std::size_t>(lane)];
  --changes[to.count()][static_cast<std::size_t>(lane)];
}

Duration& part_of(Segments& segments, const std::array<int, kCountOf<Lane>>& running) {
  const bool host = running[static_cast<std::size_t>(Lane::kHost)] > 0;
  const bool compute = running[static_cast<std::size_t>(Lane::kCompute)] > 0;
  const bool communication = running[static_cast<std::size_t>(Lane::kCommunication)] > 0;
  if (compute) return communication || host ? segments.overlap : segments.compute;
  if (communication) return segments.communication;
  return host ? segments.host : segments.free;
}

}  // namespace

Segments segments(const FullStep& step, std::uint32_t rank, Duration start, Duration end) {
  Changes changes;
  changes[start.count()];
  changes[end.count()];
  for (const OperatorRecord& record : step.operators)
    if (record.rank == rank) add(changes, record.lane, record.start, record.end, start, end);
  for (const HostRecord& record : step.host)
    if (record.rank == rank) add(changes, Lane::kHost, record.start, record.end, start, end);
  Segments found;
  std::array<int, kCountOf<Lane>> running{};
  std::int64_t now = start.count();
  for (const auto& [next, change] : changes) {
    part_of(found, running) += Duration(next - now);
    now = next;
    for (std::size_t lane = 0; lane < running.size(); ++lane) running[lane] += change[lane];
  }
  return found;
}

Segments segments(const FullStep& step, std::uint32_t rank) {
  Duration start = Duration::max(), end = Duration::min();
  for (const OperatorRecord& record : step.operators) {
    if (record.rank != rank) continue;
    start = std::min(start, record.start);
    end = std::max(end, record.end);
  }
  return start < end ? segments(step, rank, start, end) : Segments{};
}

}  // namespace a3sim
