#include "sim/runtime/executions/kernel_execution.h"

#include <algorithm>
#include <utility>

#include "models/operators/operator.h"

namespace a3sim {
namespace {

bool puts(const OperatorInfo& op) { return Operators::get(op.type).mover() != Mover::kNone; }

// Returns the operators in the order of their stages.
std::vector<std::uint32_t> in_stages(std::span<const OperatorInfo> operators) {
  std::vector<std::uint32_t> order(operators.size());
  for (std::uint32_t op = 0; op < order.size(); ++op) order[op] = op;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return operators[a].stage < operators[b].stage; });
  return order;
}

// Returns the time of the status words: the AIVs meet, and each writes its part of the words.
Duration status_words(const Ssc& ssc, const Hardware& hardware, const Program& program) {
  const std::uint32_t words = std::max(ssc.shape().experts(), ssc.shape().ep),
                      vectors = std::max(1U, ssc.kinds().count(CoreUnit::kVector));
  const Hardware::Fabric& fabric = hardware.fabric;
  return program.signals.sync_all +
         (fabric.put_startup + fabric.put_fence) * ((words + vectors - 1) / vectors);
}

}  // namespace

KernelExecution::KernelExecution(const ExecutionSite& site, Cut cut)
    : site_(site),
      collectives_(site.options.transport == Transport::kCollective),
      gaps_(site.ssc.operators().size()),
      dealt_(site.worker_count()),
      freed_(site.records() ? site.worker_count() : 0) {
  find_gaps(cut == Cut::kFused);
  if (cut == Cut::kLists) {
    add_lists(site.options.kernels);
    return;
  }
  const auto operators = site.ssc.operators();
  std::vector<std::uint32_t> together;
  for (const std::uint32_t op : in_stages(operators)) {
    const bool alone = cut != Cut::kTiles || puts(operators[op]);
    if (alone && !together.empty()) add_kernels(std::exchange(together, {}), true);
    alone ? add_kernels({op}, false) : together.push_back(op);
  }
  if (!together.empty()) add_kernels(together, true);
}

void KernelExecution::add_kernels(const std::vector<std::uint32_t>& operators, bool tiles) {
  const Ssc& ssc = site_.ssc;
  std::vector<bool> of_kernel(ssc.operators().size(), false);
  for (const std::uint32_t op : operators) of_kernel[op] = true;
  Kernel& kernel = kernels_.emplace_back();
  kernel.first_op = operators.front();
  for (std::uint32_t q = 0; q < ssc.queues(); ++q) {
    for (const std::uint32_t task : ssc.queue(q)) {
      if (of_kernel[ssc.tasks()[task].op]) kernel.tasks.push_back(task);
    }
  }
  if (tiles) {
    kernel.tiles = std::make_unique<StaticExecution>(site_, of_kernel);
  } else {
    kernel.puts = puts(ssc.operators()[operators.front()]);
  }
}

// Operators that no list names are kernels of their own. Kernels are ordered by the stages of their first
// operators.
void KernelExecution::add_lists(const std::vector<std::vector<std::string>>& kernels) {
  const auto operators = site_.ssc.operators();
  std::vector<std::vector<std::uint32_t>> lists(kernels.size());
  for (const std::uint32_t op : in_stages(operators)) {
    const auto has_it = [&](const std::vector<std::string>& names) {
      return std::ranges::find(names, operators[op].name) != names.end();
    };
    const auto found = std::ranges::find_if(kernels, has_it);
    if (found == kernels.end())
      lists.push_back({op});
    else
      lists[static_cast<std::size_t>(found - kernels.begin())].push_back(op);
  }
  std::erase_if(lists, [](const auto& list) { return list.empty(); });
  std::ranges::stable_sort(lists, {}, [&](const auto& list) { return operators[list.front()].stage; });
  for (const auto& list : lists) add_kernels(list, true);
}

bool KernelExecution::meets(const Kernel& kernel) const { return kernel.puts && site_.group.ranks() > 1; }

void KernelExecution::launch(Engine& engine) {
  if (site_.records()) record_launch(engine.now());
  start_kernel(engine);
}

void KernelExecution::start_kernel(Engine& engine) {
  if (kernel_ == kernels_.size()) return;
  if (site_.options.launches && launched_ == kernel_) {
    ++launched_;
    const auto kernel = static_cast<std::uint32_t>(kernel_);
    const Time begin = site_.options.launches->begin(site_.ssc.rank(), kernel, engine.now());
    if (begin > engine.now()) return engine.schedule(begin, *this, kLaunched);
  }
  if (!collectives_ || !meets(kernels_[kernel_])) return deal(engine);
  const Program::Collective& spec = site_.program.collective;
  const Duration works = spec.fixed + spec.per_peer * (site_.group.ranks() - 1);
  site_.group.arrive(engine, site_.ssc.rank(), works, kMet, last_);
}

// A collective sends to all ranks at once, and to each rank in order. Remaining workers, if any, copy the
// rows that stay. Each rank begins with the ranks after it. If all began with rank 0 and there were more
// ranks than workers, all would send to the same few ranks at the end.
std::uint32_t KernelExecution::worker_of(const Kernel& kernel, std::uint32_t i) const {
  const Ssc& ssc = site_.ssc;
  const TaskDescriptor& td = ssc.tasks()[kernel.tasks[i]];
  const std::uint32_t first = ssc.kinds().first_worker(td.queue_type), workers = ssc.workers(td.queue_type);
  if (!kernel.puts || !collectives_) return first + i % workers;
  const std::uint32_t ranks = site_.group.ranks(), behind = (td.dst + ranks - index(ssc.rank())) % ranks;
  if (behind != 0 || workers <= ranks) return first + behind % workers;
  return first + ranks + i % (workers - ranks);
}

void KernelExecution::deal(Engine& engine) {
  const Kernel& kernel = kernels_[kernel_];
  unfinished_ = static_cast<std::uint32_t>(kernel.tasks.size());
  if (unfinished_ == 0) return end_kernel(engine);
  if (kernel.tiles) {
    std::vector<Duration> waited(freed_.size());
    for (std::uint32_t w = 0; w < waited.size(); ++w) waited[w] = first_start(w, engine.now()).waited;
    return kernel.tiles->start(engine, last_, waited);
  }
  for (std::uint32_t i = unfinished_; i-- > 0;) dealt_[worker_of(kernel, i)].push_back(kernel.tasks[i]);
  for (std::uint32_t w = 0; w < dealt_.size(); ++w) take(engine, w, first_start(w, engine.now()));
}

void KernelExecution::take(Engine& engine, std::uint32_t worker, const StartReason& why) {
  if (dealt_[worker].empty()) return;
  site_.workers.assign(worker, dealt_[worker].back(), engine.now());
  dealt_[worker].pop_back();
  site_.workers.run_at(engine, worker, engine.now(), why);
}

void KernelExecution::worker_is_free(Engine& engine, std::uint32_t worker, std::uint32_t task) {
  if (site_.records()) record_end(worker, task, engine.now());
  if (const auto& tiles = kernels_[kernel_].tiles) {
    tiles->worker_is_free(engine, worker, task);
  } else {
    take(engine, worker, {site_.task_cause(Cause::Kind::kLane, task), {}});
  }
  if (--unfinished_ == 0) end_kernel(engine);
}

void KernelExecution::event_is_complete(Engine& engine, std::uint32_t event) {
  if (kernel_ < kernels_.size() && kernels_[kernel_].tiles)
    kernels_[kernel_].tiles->event_is_complete(engine, event);
}

Duration KernelExecution::gap() const {
  return kernel_ == kernels_.size() ? Duration::zero() : gaps_[kernels_[kernel_].first_op];
}

void KernelExecution::end_kernel(Engine& engine) {
  met_ = meets(kernels_[kernel_++]);
  if (met_) {
    site_.group.arrive(engine, site_.ssc.rank(), site_.group.farthest() + gap(), kLaunched, last_);
  } else if (kernel_ < kernels_.size()) {
    engine.schedule(engine.now() + gap(), *this, kLaunched);
  }
}

void KernelExecution::on_event(Engine& engine, std::uint32_t value) {
  if (value == kMet) {
    if (site_.records()) record_collective(engine.now());
    return deal(engine);
  }
  if (site_.records() && launched_ <= kernel_) record_launch(engine.now());
  start_kernel(engine);
}

void KernelExecution::record_host(const HostActivity& activity) {
  last_ = site_.host_did(activity);
  last_at_ = Time(activity.end);
  if (activity.works()) host_worked_ += activity.end - activity.start;
}

// Ranks that met have heard of one another before the host launches the next kernel.
void KernelExecution::record_launch(Time now) {
  const Duration end = now.time_since_epoch();
  if (kernel_ == 0) {
    const Duration launch = first_launch(site_.program, site_.options.launch);
    return record_host({Blame::kLaunch, kernels_[0].first_op, end - launch, end - launch, end, {}});
  }
  const Duration start = end - gap();
  if (std::exchange(met_, false)) {
    Cause last = site_.group.last_came_from();
    last.kind = Cause::Kind::kMeeting;
    record_host({Blame::kHop, kernels_[kernel_ - 1].first_op,
                 site_.group.came(site_.ssc.rank()).time_since_epoch(), start - site_.group.farthest(), start,
                 last});
  }
  if (kernel_ == kernels_.size()) return;
  record_host({Blame::kLaunch, kernels_[kernel_].first_op, start, start, end, last_});
}

void KernelExecution::record_collective(Time now) {
  const Program::Collective& spec = site_.program.collective;
  const Duration end = now.time_since_epoch(),
                 start = end - spec.fixed - spec.per_peer * (site_.group.ranks() - 1);
  Cause last = site_.group.last_came_from();
  last.kind = Cause::Kind::kMeeting;
  record_host({Blame::kCollective, kernels_[kernel_].first_op,
               site_.group.came(site_.ssc.rank()).time_since_epoch(), start, end, last});
}

// Among several tasks that end a kernel at the same time, the smallest counts as the last.
void KernelExecution::record_end(std::uint32_t worker, std::uint32_t task, Time now) {
  freed_[worker] = {true, now, host_worked_};
  if (!last_.host && last_at_ == now && last_.number < task) return;
  last_ = site_.task_cause(Cause::Kind::kKernel, task);
  last_at_ = now;
}

// Returns why a worker takes its first task of a kernel, and how long it has waited for that while the host
// did not work.
StartReason KernelExecution::first_start(std::uint32_t worker, Time now) const {
  StartReason why{last_, {}};
  if (!freed_.empty() && freed_[worker].ran)
    why.waited = now - freed_[worker].at - (host_worked_ - freed_[worker].host_worked);
  return why;
}

std::string KernelExecution::blocked() const {
  return kernel_ < kernels_.size() && kernels_[kernel_].tiles ? kernels_[kernel_].tiles->blocked() : "";
}

void prepare_products(Program& program) { program.tasks.cube_task_start = {}; }

void KernelExecution::find_gaps(bool fused) {
  const Ssc& ssc = site_.ssc;
  const Program& program = site_.program;
  const auto operators = ssc.operators();
  const std::vector<std::uint32_t> order = in_stages(operators);
  const auto is_vector = [&](std::uint32_t op) {
    return Operators::get(operators[op].type).unit() == CoreUnit::kVector;
  };
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::uint32_t before = order[i - 1], op = order[i];
    Duration& gap = gaps_[op];
    gap = fused && is_vector(before) && is_vector(op) ? program.signals.sync_all : program.launch.queued;
    if (!puts(operators[before]) || ssc.shape().ep == 1) continue;
    if (fused) gap += status_words(ssc, site_.hardware, program);
    const TensorInfo& sent = ssc.tensors()[index(operators[before].outputs.front())];
    // Integers that are sent are counts, which the host reads.
    if (collectives_ && sent.dtype == DataType::kInt32) gap += program.collective.read_back;
  }
}

}  // namespace a3sim
