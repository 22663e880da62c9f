#include "sim/study/bounds.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/operators/operator.h"
#include "sim/device/cost.h"
#include "sim/runtime/static_run.h"

namespace a3sim {
namespace {

// Time of an amount at a rate, rounded down: it shall stay a lower bound.
Duration at_most(double amount, BytesPerSecond rate) {
  return Duration(static_cast<std::int64_t>(amount * 1e12 / static_cast<double>(rate.count)));
}

struct RankSums {
  Duration arithmetic[kQueues] = {};
  double hbm_read = 0, hbm = 0;
};

// What every task takes alone, and the sums that the bounds follow from.
class Survey {
 public:
  Survey(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware)
      : schedule_(schedule),
        layout_(schedule.front().shape(), capacity_of(schedule), counts),
        hardware_(hardware),
        cost_(hardware),
        sums_(schedule.size()),
        sent_(schedule.size(), 0),
        received_(schedule.size(), 0),
        ideal_(schedule.size()) {
    for (const Ssc& ssc : schedule) add_rank(ssc);
  }

  Bounds bounds() const;

 private:
  void add_rank(const Ssc& ssc);
  Duration add_task(const Ssc& ssc, const WorkContext& context, const TaskDescriptor& td);
  Duration longest_path() const;
  Duration visible_after(const Ssc& ssc, std::uint32_t task) const;

  const Schedule& schedule_;
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
  }
}

Duration Survey::add_task(const Ssc& ssc, const WorkContext& context, const TaskDescriptor& td) {
  const std::uint32_t rank = index(ssc.rank());
  work_.clear();
  Operators::get(ssc.operators()[td.op].type).work(context, {td, ssc.inputs(td), ssc.outputs(td)}, work_);
  if (work_.kind == WorkKind::kPut && work_.dst != ssc.rank()) {
    const auto bytes = static_cast<double>(work_.put_bytes);
    sent_[rank] += bytes;
    received_[index(work_.dst)] += bytes;
    sums_[rank].hbm_read += bytes;
    sums_[rank].hbm += bytes;
    sums_[index(work_.dst)].hbm += bytes;
    const Hardware::Fabric& fabric = hardware_.fabric;
    return at_most(bytes, std::min({fabric.put_per_worker, fabric.egress, fabric.ingress}));
  }
  const MemoryJob job = cost_.cost(work_);
  RankSums& sums = sums_[rank];
  sums.arithmetic[td.queue_type] += cost_.arithmetic(work_);
  sums.hbm_read += job.bytes[static_cast<std::size_t>(Resource::kHbmRead)];
  sums.hbm += job.bytes[static_cast<std::size_t>(Resource::kHbm)];
  return job.ideal;
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

Bounds Survey::bounds() const {
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
    raise(Bound::kHbm, at_most(sums.hbm_read, hardware_.memory.hbm_read));
    raise(Bound::kHbm, at_most(sums.hbm, hardware_.memory.hbm));
    raise(Bound::kLink, at_most(sent_[rank], hardware_.fabric.egress));
    raise(Bound::kLink, at_most(received_[rank], hardware_.fabric.ingress));
  }
  raise(Bound::kPath, longest_path());
  return bounds;
}

}  // namespace

Bound Bounds::binding() const {
  return static_cast<Bound>(std::max_element(time.begin(), time.end()) - time.begin());
}

Bounds lower_bounds(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware) {
  if (schedule.empty()) return {};
  return Survey(schedule, counts, hardware).bounds();
}

}  // namespace a3sim
