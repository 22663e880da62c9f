#include "sim/experiment/run/bounds.h"

#include <algorithm>
#include <vector>

#include "models/operators/engine_put.h"
#include "models/operators/operator.h"
#include "sim/device/cost.h"
#include "sim/experiment/run/times_alone.h"
#include "sim/runtime/execution.h"
#include "sim/runtime/run.h"

namespace a3sim {
namespace {

// Returns the time of an amount at a rate, rounded down so that it stays a lower bound.
Duration at_most(double amount, BytesPerSecond rate) {
  return Duration(static_cast<std::int64_t>(amount * 1e12 / static_cast<double>(rate.count)));
}

// Collects the rows of tensors that tasks read or write. Each row counts once.
class Touched {
 public:
  void add(std::uint32_t tensor, Rows rows) {
    if (rows.empty() || (!parts_.empty() && parts_.back() == Part{tensor, rows.begin, rows.end})) return;
    if (!parts_.empty() && parts_.back().tensor == tensor && parts_.back().end == rows.begin)
      parts_.back().end = rows.end;
    else
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
  Duration arithmetic[kCoreUnits] = {};
  Touched given, written;  // rows from outside; rows of results
};

// Computes the time of each task alone, and the sums from which the bounds follow.
class Survey {
 public:
  Survey(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
         const Program& program, const RunOptions& options)
      : schedule_(schedule),
        warm_(options.l2.start == L2Start::kWarm),
        options_(options),
        type_(Executions::get(options.execution)),
        kernels_(type_.launches_kernels(options.transport)),
        topology_(hardware, program, dies_of(schedule, options), options.transport,
                  static_cast<std::uint32_t>(schedule.size()), options.cables),
        layout_(schedule.front().shape(), capacity_of(schedule), counts),
        hardware_(hardware),
        program_(program_of(program, options)),
        sums_(schedule.size()),
        sent_(topology_.ports().egress.size(), 0),
        received_(sent_.size(), 0),
        between_(topology_.has_planes() ? std::size_t{topology_.ranks()} * topology_.ranks() : 0, 0),
        ideal_(schedule.size()) {
    for (const Ssc& ssc : schedule) add_rank(ssc);
  }

  Bounds bounds();

 private:
  void add_rank(const Ssc& ssc);
  Duration add_task(const Ssc& ssc, const WorkContext& context, const CostModel& cost,
                    const TaskDescriptor& td);
  Duration add_put(bool pulled, bool by_engine);
  Duration copied_here() const;
  void add_rows(const Ssc& ssc, const TaskDescriptor& td);
  void add_factors(const Ssc& ssc, TensorId tensor, bool second);
  Duration hbm_time(const Ssc& ssc);
  Duration longest_path() const;
  Duration first_task() const;
  Duration visible_after(const Ssc& ssc, std::uint32_t task) const;

  const Schedule& schedule_;
  bool warm_;
  const RunOptions& options_;
  const ExecutionType& type_;
  bool kernels_;  // some operators are kernels
  Topology topology_;
  RowLayout layout_;
  const Hardware& hardware_;
  Program program_;
  Work work_;
  TimesAlone alone_;
  std::vector<RankSums> sums_;
  std::vector<double> sent_, received_;       // bytes per port
  std::vector<double> between_;               // bytes on the ports, by pair of ranks; empty without cables
  std::vector<std::vector<Duration>> ideal_;  // one entry per rank, then task
};

void Survey::add_rank(const Ssc& ssc) {
  const WorkContext context{layout_, ssc.tensors(), ssc.operators(), ssc.tilings(), ssc.rank()};
  const Hardware own = hardware_of(hardware_, options_, ssc.rank());
  const CostModel cost(own, program_);
  std::vector<Duration>& ideal = ideal_[index(ssc.rank())];
  ideal.reserve(ssc.tasks().size());
  for (const TaskDescriptor& td : ssc.tasks()) {
    ideal.push_back(add_task(ssc, context, cost, td));
    add_rows(ssc, td);
  }
}

Duration Survey::add_task(const Ssc& ssc, const WorkContext& context, const CostModel& cost,
                          const TaskDescriptor& td) {
  work_.clear();
  const Operator& op = Operators::get(ssc.operators()[td.op].type);
  op.work(context, {td, read_by(ssc.inputs(td)), ssc.outputs(td)}, work_);
  work_.worker_kind = td.queue_type;
  const bool by_engine = moved_by_engine(ssc.operators()[td.op].type);
  if (work_.kind == WorkKind::kPut && work_.dst != work_.src)
    return add_put(work_.src != ssc.rank(), by_engine);
  if (work_.kind == WorkKind::kPut && by_engine) return copied_here();
  const TimesAlone::Times times = alone_.compute(work_, cost);
  if (td.queue_type == ssc.kinds().queue_for(op.unit()))  // not what another kind of worker has as its own
    sums_[index(ssc.rank())].arithmetic[static_cast<std::size_t>(op.unit())] += times.arithmetic;
  // A product that sends its result sends it behind its last block.
  return work_.put_bytes > 0 && work_.kind == WorkKind::kCube ? times.least + add_put(false, false)
                                                              : times.least;
}

Duration Survey::copied_here() const {
  if (work_.put_bytes == 0) return {};
  const Hardware::CopyEngine& copies = hardware_.copy_engine.value();
  return copies.startup + at_most(static_cast<double>(work_.put_bytes), copies.rate);
}

Duration Survey::add_put(bool pulled, bool by_engine) {
  if (work_.put_bytes == 0) return {};
  Topology::Route route = topology_.route(work_.src, work_.dst);
  if (pulled) route.payload *= topology_.read_rate(work_.src, work_.dst);
  const bool puts = options_.transport == Transport::kPuts;
  const double bytes = static_cast<double>(work_.put_bytes);
  sent_[route.from] += bytes / route.payload;
  received_[route.to] += bytes / route.payload;
  if (!between_.empty())
    between_[std::size_t{index(work_.src)} * topology_.ranks() + index(work_.dst)] += bytes / route.payload;
  const Hardware::Fabric& fabric = hardware_.fabric;
  const BytesPerSecond flow = !puts                  ? program_.collective.rate
                              : by_engine            ? hardware_.copy_engine.value().rate
                              : pulled               ? fabric.pull_per_worker
                              : work_.put_pieces > 0 ? std::max(fabric.put_per_worker, fabric.put_stream)
                                                     : fabric.put_per_worker;
  const Duration least = std::max(at_most(bytes, flow), at_most(bytes / route.payload, route.port));
  const Duration startup = by_engine              ? hardware_.copy_engine.value().startup
                           : work_.put_pieces > 0 ? Duration{}
                                                  : hardware_.fabric.put_startup;
  return puts ? least + startup : least;
}

// Adds the rows of the task that work_ describes.
void Survey::add_rows(const Ssc& ssc, const TaskDescriptor& td) {
  if (work_.kind == WorkKind::kCube) {
    add_factors(ssc, work_.a, false);
    add_factors(ssc, work_.b, true);
  }
  const bool by_regions = work_.kind == WorkKind::kVector || work_.kind == WorkKind::kPut;
  for (const Region& region : ssc.inputs(td)) {
    const TensorInfo& tensor = ssc.tensors()[region.tensor];
    if (!by_regions || !tensor.external || region.flags != 0) continue;
    sums_[region.rank].given.add(region.tensor, layout_.pack(tensor.layout, region.rank, region.rows()));
  }
  for (const Region& region : ssc.outputs(td)) {
    const TensorInfo& tensor = ssc.tensors()[region.tensor];
    sums_[region.rank].written.add(region.tensor, layout_.pack(tensor.layout, region.rank, region.rows()));
  }
}

// A region of weights covers all experts of which a task may have rows. The task reads only those of its
// products.
void Survey::add_factors(const Ssc& ssc, TensorId tensor, bool second) {
  if (!ssc.tensors()[index(tensor)].external) return;
  const bool by_k = second ? !work_.b_transposed : work_.a_transposed;
  Touched& given = sums_[index(ssc.rank())].given;
  for (const Gemm& gemm : work_.gemms) {
    const std::uint32_t first = second ? gemm.b_row : gemm.a_row;
    given.add(index(tensor), {first, first + (by_k ? gemm.k : second ? gemm.n : gemm.m)});
  }
}

// Rows from outside come from HBM at least once. Results leave the L2 as far as it cannot hold them.
Duration Survey::hbm_time(const Ssc& ssc) {
  RankSums& sums = sums_[index(ssc.rank())];
  const auto l2 = static_cast<double>(hardware_.memory.l2_size.count);
  const double read = std::max(0.0, sums.given.bytes(ssc.tensors()) - (warm_ ? l2 : 0));
  const double written = std::max(0.0, sums.written.bytes(ssc.tensors()) - l2);
  return at_most(hardware_.memory.as_reads(read, written), hardware_.memory.hbm_read);
}

// Returns the least time before a task that waits for nothing starts, under any execution. No kernel's task
// begins before the host's first launch.
Duration Survey::first_task() const {
  const Duration least = std::min(program_.tasks.static_task, type_.first_task(program_));
  return kernels_ ? std::min(least, first_launch(program_, options_.launch)) : least;
}

// Returns the time from a task's end until a worker that waits for it sees it. A kernel that is launched
// after it need not look.
Duration Survey::visible_after(const Ssc& ssc, std::uint32_t task) const {
  const TaskDescriptor& td = ssc.tasks()[task];
  const Duration visible = program_.signals.local_visibility;
  const std::uint32_t seen_by = topology_.devices() < topology_.ranks() ? td.dst : td.trigger_rank;
  if (seen_by == index(ssc.rank()))
    return kernels_ ? std::min({visible, program_.launch.queued, program_.signals.sync_all}) : visible;
  return topology_.latency(ssc.rank(), RankId{seen_by});
}

// A waiting worker has already fetched its task, so only a chain's first task pays for that.
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
        ready.push_back({rank, t, options_.rank(ssc.rank()).start + first_task()});
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
    const RankSums& sums = sums_[index(ssc.rank())];
    raise(Bound::kCube, sums.arithmetic[0] / std::max(1U, ssc.kinds().count(CoreUnit::kMatrix)));
    raise(Bound::kVector, sums.arithmetic[1] / std::max(1U, ssc.kinds().count(CoreUnit::kVector)));
    raise(Bound::kHbm, hbm_time(ssc));
  }
  for (std::size_t p = 0; p < sent_.size(); ++p) {
    raise(Bound::kLink, at_most(sent_[p], topology_.ports().egress[p]));
    raise(Bound::kLink, at_most(received_[p], topology_.ports().ingress[p]));
  }
  if (!between_.empty()) {
    for (const Topology::CableLoad& load : topology_.cable_loads(between_)) {
      const Duration time = at_most(load.bytes, load.rate);
      if (time > bounds.time[static_cast<std::size_t>(Bound::kCable)]) bounds.cable = load.cable->name();
      raise(Bound::kCable, time);
    }
  }
  raise(Bound::kPath, longest_path());
  return bounds;
}

}  // namespace

Bound Bounds::binding() const {
  return static_cast<Bound>(std::max_element(time.begin(), time.end()) - time.begin());
}

Bounds lower_bounds(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
                    const Program& program, const RunOptions& options) {
  if (schedule.empty()) return {};
  return Survey(schedule, counts, hardware, program, options).bounds();
}

}  // namespace a3sim
