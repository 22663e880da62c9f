#include "sim/experiment/streams/stream_bounds.h"

#include <algorithm>
#include <vector>

#include "sim/runtime/topology.h"

namespace a3sim {
namespace {

// Returns the time of an amount at a rate, rounded down so that it stays a lower bound.
Duration at_most(double amount, BytesPerSecond rate) {
  return Duration(static_cast<std::int64_t>(amount * 1e12 / static_cast<double>(rate.count)));
}

class StreamSurvey {
 public:
  StreamSurvey(const StreamPass& pass, const Hardware& hardware, std::span<const RankOptions> ranks)
      : pass_(pass),
        hardware_(hardware),
        ranks_(ranks),
        topology_(hardware, Program{}, dies_of(ranks), Transport::kPuts, 0, {}, pass.program.has_exchanges()),
        sent_(topology_.ports().egress.size(), 0),
        received_(sent_.size(), 0),
        read_(pass.program.ranks, 0),
        busy_(pass.program.ranks, std::vector<Duration>(pass.program.kinds.size())),
        last_(pass.program.ranks),
        matrix_(pass.program.kinds.size(), false) {
    for (std::uint32_t t = 0; t < pass.program.tasks.size(); ++t) add(t);
  }

  Bounds bounds() const {
    Bounds bounds;
    const auto raise = [&](Bound bound, Duration time) {
      Duration& current = bounds.time[static_cast<std::size_t>(bound)];
      current = std::max(current, time);
    };
    // Kinds are those of the machine, and then copy engines and hosts; the program of one kernel has one kind alone.
    const std::size_t kinds = std::min<std::size_t>(hardware_.workers.size(), matrix_.size());
    const std::size_t matrix = hardware_.workers.queue_for(CoreUnit::kMatrix);
    const bool of_machine = kinds == hardware_.workers.size();
    for (std::uint32_t rank = 0; rank < pass_.program.ranks; ++rank) {
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        raise((of_machine ? kind == matrix : matrix_[kind]) ? Bound::kCube : Bound::kVector,
              busy_[rank][kind] / std::max(1U, pass_.program.kinds[kind].count));
      }
      raise(Bound::kHbm, at_most(read_[rank] / ranks_[rank].hbm, hardware_.memory.hbm_read));
    }
    for (std::size_t p = 0; p < sent_.size(); ++p) {
      raise(Bound::kLink, at_most(sent_[p], topology_.ports().egress[p]));
      raise(Bound::kLink, at_most(received_[p], topology_.ports().ingress[p]));
    }
    raise(Bound::kPath, longest_);
    return bounds;
  }

 private:
  void add(std::uint32_t t) {
    const StreamTask& task = pass_.program.tasks[t];
    const std::uint32_t rank = index(task.rank);
    Duration alone = task.job.ideal;
    for (const StreamTransfer& transfer : task.transfers)
      alone = std::max(alone, add(task.rank, transfer, pass_.counts(t)));
    alone += task.hold;
    Duration ready{};
    for (const std::uint32_t before : task.after) ready = std::max(ready, ends_[before]);
    auto& streams = last_[rank];
    if (streams.size() <= task.stream) streams.resize(task.stream + 1);
    const Duration end = std::max(ready, streams[task.stream]) + task.wait + alone;
    streams[task.stream] = end;
    ends_.push_back(end);
    if (!pass_.counts(t)) return;
    longest_ = std::max(longest_, end);
    if (task.units > 0) {
      busy_[rank][task.kind] += alone * task.units;
      matrix_[task.kind] = matrix_[task.kind] || task.matrix;
    }
    read_[rank] += task.job.bytes[static_cast<std::size_t>(Resource::kHbm)];
  }

  // Returns the time of the transfer alone. Its bytes count on its ports if the latency waits for them.
  Duration add(RankId from, const StreamTransfer& transfer, bool counts) {
    const Topology::Route route = transfer.level == kNone ? topology_.route(from, transfer.dst)
                                                          : topology_.exchange(from, transfer.level);
    const auto bytes = static_cast<double>(transfer.bytes.count);
    if (counts) {
      sent_[route.from] += bytes / route.payload;
      received_[route.to] += bytes / route.payload;
    }
    return std::max(at_most(bytes, transfer.rate), at_most(bytes / route.payload, route.port));
  }

  const StreamPass& pass_;
  const Hardware& hardware_;
  std::span<const RankOptions> ranks_;
  Topology topology_;
  std::vector<double> sent_, received_;      // bytes per port
  std::vector<double> read_;                 // bytes from HBM, per rank
  std::vector<std::vector<Duration>> busy_;  // one entry per rank, then kind of worker: sums over workers
  std::vector<std::vector<Duration>> last_;  // one entry per rank, then stream: the end of its last task
  std::vector<bool> matrix_;                 // kinds of workers that run products
  std::vector<Duration> ends_;               // one entry per task
  Duration longest_{};
};

}  // namespace

Bounds stream_bounds(const StreamPass& pass, const Hardware& hardware, std::span<const RankOptions> ranks) {
  return StreamSurvey(pass, hardware, ranks).bounds();
}

}  // namespace a3sim
