#include "sim/study/bounds.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/operators/operator.h"
#include "sim/device/cost.h"
#include "sim/runtime/run.h"

namespace a3sim {
namespace {

// Time of an amount at a rate, rounded down: it shall stay a lower bound.
Duration at_most(double amount, BytesPerSecond rate) {
  return Duration(static_cast<std::int64_t>(amount * 1e12 / static_cast<double>(rate.count)));
}

// Rows of tensors that tasks read or write, each counted once however often.
class Touched {
 public:
  void add(std::uint32_t tensor, Rows rows) {
    if (rows.empty() || (!parts_.empty() && parts_.back() == Part{tensor, rows.begin, rows.end})) return;
    parts_.push_back({tensor, rows.begin, rows.end});
  }

  double bytes(std::span<const TensorInfo> tensors) {
    std::sort(parts_.begin(), parts_.end());
    double bytes = 0;
    Part last{kNone, 0, 0};
    for (const Part& part : parts_) {
      if (part.tensor != last.tensor) last = {part.tensor, 0, 0};
      const std::uint32_t begin = std::max(part.begin, last.end);
      if (part.end <= begin) continue;
      bytes += static_cast<double>((part.end - begin) * tensors[part.tensor].row_bytes());
      last.end = part.end;
    }
    return bytes;
  }

 private:
  struct Part {
    std::uint32_t tensor, begin, end;
    auto operator<=>(const Part&) const = default;
  };
  std::vector<Part> parts_;
};

struct RankSums {
  Duration arithmetic[kQueues] = {};
  Touched given, written;  // rows from outside, and of results
};

// What every task takes alone, and the sums that the bounds follow from.
class Survey {
 public:
  Survey(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
         const RunOptions& options)
      : schedule_(schedule),
        warm_(options.l2.start == L2Start::kWarm),
        host_driven_(options.execution == ExecutionKind::kKernel),
        layout_(schedule.front().shape(), capacity_of(schedule), counts),
        hardware_(hardware),
        cost_(hardware),
        sums_(schedule.size()),
        sent_(schedule.size(), 0),
        received_(schedule.size(), 0),
        ideal_(schedule.size()) {
    for (const Ssc& ssc : schedule) add_rank(ssc);
  }

  Bounds bounds();

 private:
  void add_rank(const Ssc& ssc);
  Duration add_task(const Ssc& ssc, const WorkContext& context, const TaskDescriptor& td);
  void add_rows(const Ssc& ssc, const TaskDescriptor& td);
  BytesPerSecond port(BytesPerSecond rate) const;  // as far as it is used
  Duration hbm_time(const Ssc& ssc);
  Duration longest_path() const;
  Duration visible_after(const Ssc& ssc, std::uint32_t task) const;

  const Schedule& schedule_;
  bool warm_, host_driven_;
  RowLayout layout_;
  const Hardware& hardware_;
  CostModel cost_;
  Work work_;
  std::vector<RankSums> sums_;
  std::vector<double> sent_, received_;
  std::vector<std::vector<Duration>> ideal_;  // by rank and task
};

void Survey::add_rank(const Ssc& ssc) {
  const WorkContext context{layout_, ssc.tensors(), ssc.operators(), ssc.tilings(), ssc.rank()};
  std::vector<Duration>& ideal = ideal_[index(ssc.rank())];
  ideal.reserve(ssc.tasks().size());
  for (const TaskDescriptor& td : ssc.tasks()) {
    ideal.push_back(add_task(ssc, context, td));
    add_rows(ssc, td);
  }
}

BytesPerSecond Survey::port(BytesPerSecond rate) const {
  return host_driven_ ? std::min(rate, hardware_.collective.rate) : rate;
}

Duration Survey::add_task(const Ssc& ssc, const WorkContext& context, const TaskDescriptor& td) {
  const std::uint32_t rank = index(ssc.rank());
  work_.clear();
  Operators::get(ssc.operators()[td.op].type).work(context, {td, ssc.inputs(td), ssc.outputs(td)}, work_);
  if (work_.kind == WorkKind::kPut && work_.dst != ssc.rank()) {
    const auto bytes = static_cast<double>(work_.put_bytes);
    sent_[rank] += bytes;
    received_[index(work_.dst)] += bytes;
    const BytesPerSecond flow = host_driven_ ? hardware_.collective.rate : hardware_.fabric.put_per_worker;
    return at_most(bytes, std::min({flow, port(hardware_.fabric.egress), port(hardware_.fabric.ingress)}));
  }
  sums_[rank].arithmetic[td.queue_type] += cost_.arithmetic(work_);
  return cost_.least(work_);
}

void Survey::add_rows(const Ssc& ssc, const TaskDescriptor& td) {
  for (const Region& region : ssc.inputs(td)) {
    const TensorInfo& tensor = ssc.tensors()[region.tensor];
    if (!tensor.external || (region.flags & kMetadata)) continue;
    sums_[region.rank].given.add(region.tensor, layout_.pack(tensor.layout, region.rank, region.rows()));
  }
  for (const Region& region : ssc.outputs(td)) {
    const TensorInfo& tensor = ssc.tensors()[region.tensor];
    sums_[region.rank].written.add(region.tensor, layout_.pack(tensor.layout, region.rank, region.rows()));
  }
}

// Rows from outside come from HBM at least once, results leave it as far as the L2 cannot hold them.
Duration Survey::hbm_time(const Ssc& ssc) {
  RankSums& sums = sums_[index(ssc.rank())];
  const auto l2 = static_cast<double>(hardware_.memory.l2_size.count);
  const double read = std::max(0.0, sums.given.bytes(ssc.tensors()) - (warm_ ? l2 : 0));
  const double written = std::max(0.0, sums.written.bytes(ssc.tensors()) - l2);
  return at_most(hardware_.memory.as_reads(read, written), hardware_.memory.hbm_read);
}

// From a task's end until a worker that waits for it sees it.
Duration Survey::visible_after(const Ssc& ssc, std::uint32_t task) const {
  const TaskDescriptor& td = ssc.tasks()[task];
  const bool remote = td.trigger_rank != index(ssc.rank());
  return remote ? hardware_.fabric.hop_latency : hardware_.runtime.local_visibility;
}

// A worker that waits has fetched its task before: only a chain's first task costs that.
Duration Survey::longest_path() const {
  struct Event {
    std::uint32_t missing;
    Duration ready{};
    std::vector<std::uint32_t> waiting;
  };
  std::vector<std::vector<Event>> events(schedule_.size());
  struct Ready {
    std::uint32_t rank, task;
    Duration at;
  };
  std::vector<Ready> ready;
  for (const Ssc& ssc : schedule_) {
    const std::uint32_t rank = index(ssc.rank());
    for (const EventDescriptor& event : ssc.events()) events[rank].push_back({event.threshold, {}, {}});
    for (std::uint32_t t = 0; t < ssc.tasks().size(); ++t) {
      const std::uint32_t event = ssc.tasks()[t].dependent_event;
      if (event == kNone) {
        ready.push_back({rank, t, hardware_.runtime.static_task});
      } else {
        events[rank][event].waiting.push_back(t);
      }
    }
  }
  Duration longest{};
  while (!ready.empty()) {
    const Ready next = ready.back();
    ready.pop_back();
    const TaskDescriptor& td = schedule_[next.rank].tasks()[next.task];
    const Duration end = next.at + ideal_[next.rank][next.task];
    longest = std::max(longest, end);
    Event& event = events[td.trigger_rank][td.trigger_event];
    event.ready = std::max(event.ready, end + visible_after(schedule_[next.rank], next.task));
    if (--event.missing != 0) continue;
    for (const std::uint32_t task : event.waiting) ready.push_back({td.trigger_rank, task, event.ready});
  }
  return longest;
}

Bounds Survey::bounds() {
  Bounds bounds;
  const auto raise = [&](Bound bound, Duration time) {
    Duration& current = bounds.time[static_cast<std::size_t>(bound)];
    current = std::max(current, time);
  };
  for (const Ssc& ssc : schedule_) {
    const std::uint32_t rank = index(ssc.rank());
    const RankSums& sums = sums_[rank];
    raise(Bound::kCube, sums.arithmetic[0] / std::max(1U, ssc.workers(QueueType::kCtq)));
    raise(Bound::kVector, sums.arithmetic[1] / std::max(1U, ssc.workers(QueueType::kVtq)));
    raise(Bound::kHbm, hbm_time(ssc));
    raise(Bound::kLink, at_most(sent_[rank], port(hardware_.fabric.egress)));
    raise(Bound::kLink, at_most(received_[rank], port(hardware_.fabric.ingress)));
  }
  raise(Bound::kPath, longest_path());
  return bounds;
}

}  // namespace

Bound Bounds::binding() const {
  return static_cast<Bound>(std::max_element(time.begin(), time.end()) - time.begin());
}

Bounds lower_bounds(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
                    const RunOptions& options) {
  if (schedule.empty()) return {};
  return Survey(schedule, counts, hardware, options).bounds();
}

}  // namespace a3sim
