#include "sim/runtime/executions/streamed_kernels.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "models/graph/batches.h"
#include "models/operators/operator.h"

namespace a3sim {
namespace {

bool moves_rows(const OperatorInfo& op) { return Operators::get(op.type).mover() != Mover::kNone; }

std::uint32_t parts_in(std::uint32_t all, std::uint32_t each) { return (all + each - 1) / each; }

}  // namespace

StreamedKernels::StreamedKernels(const ExecutionSite& site)
    : site_(site),
      collectives_(site.options.transport == Transport::kCollective),
      kernel_of_(site.ssc.tasks().size()),
      waiting_(site.ssc.events().size()),
      dealt_(site.worker_count()),
      busy_(site.worker_count(), false) {
  const MoeShape& shape = site.ssc.shape();
  if (site.options.kernel_sources > 0 && shape.ep > 1)
    parts_ = parts_in(shape.ep, site.options.kernel_sources);
  else if (site.options.kernel_experts > 0 && shape.experts_per_rank > 0)
    parts_ = parts_in(shape.experts_per_rank, site.options.kernel_experts);
  add_kernels();
  link_streams();
  link_exchanges();
}

void StreamedKernels::add_kernels() {
  const Ssc& ssc = site_.ssc;
  const auto operators = ssc.operators();
  kernels_.resize(operators.size() * parts_);
  const std::vector<std::string>& postponed = site_.options.postponed;
  for (std::uint32_t k = 0; k < kernels_.size(); ++k) {
    const OperatorInfo& op = operators[k / parts_];
    kernels_[k].op = k / parts_;
    kernels_[k].turn = batch_of(op.name) * parts_ + k % parts_;
    kernels_[k].exchanges = moves_rows(op);
    kernels_[k].postponed = std::ranges::find(postponed, op.name) != postponed.end();
  }
  const std::vector<std::uint32_t> parts = parts_of_tasks();
  for (std::uint32_t q = 0; q < ssc.queues(); ++q) {
    for (const std::uint32_t task : ssc.queue(q)) {
      kernel_of_[task] = ssc.tasks()[task].op * parts_ + parts[task];
      kernels_[kernel_of_[task]].tasks.push_back(task);
    }
  }
  for (Kernel& kernel : kernels_) kernel.unfinished = static_cast<std::uint32_t>(kernel.tasks.size());
}

// Assigns parts to tasks. A task's part is not before those of its own rank's tasks that trigger its event:
// an event shared by weight gradients counts the rows of all parts.
std::vector<std::uint32_t> StreamedKernels::parts_of_tasks() const {
  const std::span<const TaskDescriptor> tasks = site_.ssc.tasks();
  std::vector<std::uint32_t> parts(tasks.size()), latest(site_.ssc.events().size()), order(tasks.size());
  if (parts_ == 1) return parts;
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t task) { return tasks[task].stage; });
  for (const std::uint32_t task : order) {
    const TaskDescriptor& td = tasks[task];
    parts[task] = part_of(td);
    if (td.dependent_event != kNone) parts[task] = std::max(parts[task], latest[td.dependent_event]);
    if (td.trigger_event != kNone && td.trigger_rank == index(site_.ssc.rank()))
      latest[td.trigger_event] = std::max(latest[td.trigger_event], parts[task]);
  }
  return parts;
}

// True if an operator prepares what is sent: permuted rows, counts.
bool StreamedKernels::is_before_rows(const OperatorInfo& op) const {
  if (op.outputs.empty()) return false;
  const Layout layout = site_.ssc.tensors()[index(op.outputs.front())].layout;
  return moves_rows(op) ? layout == Layout::kPlain : layout == Layout::kSent;
}

// Groups of ranks are counted from the rank's own group: upward for destinations of rows, downward for their
// sources. So a part of an exchange brings what others send in the same part.
std::uint32_t StreamedKernels::part_of(const TaskDescriptor& td) const {
  const Ssc& ssc = site_.ssc;
  const OperatorInfo& op = ssc.operators()[td.op];
  if (is_before_rows(op)) return 0;
  if (op.outputs.empty() || td.expert == kNoExpert) return parts_ - 1;
  const std::uint32_t sources = site_.options.kernel_sources;
  if (sources == 0) return td.expert / site_.options.kernel_experts;
  const Layout layout = ssc.tensors()[index(op.outputs.front())].layout;
  if (layout != Layout::kReceived && layout != Layout::kSent) return parts_ - 1;
  const std::uint32_t own = index(ssc.rank()) / sources;
  if (layout == Layout::kReceived && moves_rows(op)) return (td.dst / sources + parts_ - own) % parts_;
  const std::uint32_t from = (layout == Layout::kSent ? td.dst : td.src) / sources;
  return (own + parts_ - from) % parts_;
}

// How many exchanges rows have been through before each operator, on the way with most.
std::vector<std::uint32_t> StreamedKernels::phases() const {
  const auto operators = site_.ssc.operators();
  std::vector<std::uint32_t> phases(operators.size()), after(site_.ssc.tensors().size()),
      order(operators.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t op) { return operators[op].stage; });
  for (const std::uint32_t op : order) {
    for (const TensorId input : operators[op].inputs) phases[op] = std::max(phases[op], after[index(input)]);
    for (const TensorId output : operators[op].outputs)
      after[index(output)] = phases[op] + (moves_rows(operators[op]) ? 1 : 0);
  }
  return phases;
}

void StreamedKernels::precede(std::uint32_t before, std::uint32_t after) {
  kernels_[before].next.push_back(after);
  ++kernels_[after].missing;
}

void StreamedKernels::link_streams() {
  const auto stage = [&](std::uint32_t k) { return site_.ssc.operators()[kernels_[k].op].stage; };
  const std::vector<std::uint32_t> phase = phases();
  for (const bool exchanges : {false, true}) {
    std::vector<std::uint32_t> stream;
    for (std::uint32_t k = 0; k < kernels_.size(); ++k)
      if (kernels_[k].exchanges == exchanges) stream.push_back(k);
    std::ranges::sort(stream, [&](std::uint32_t a, std::uint32_t b) {
      const auto place = [&](std::uint32_t k) {
        const Kernel& kernel = kernels_[k];
        const bool last = kernel.postponed;
        return exchanges ? std::tuple(0U, last, stage(k), kernel.turn, kernel.op)
                         : std::tuple(phase[kernel.op], last, kernel.turn, stage(k), kernel.op);
      };
      return place(a) < place(b);
    });
    for (std::size_t i = 1; i < stream.size(); ++i) precede(stream[i - 1], stream[i]);
  }
}

// A kernel that reads rows of an exchange also waits for the end of that exchange on this rank.
void StreamedKernels::link_exchanges() {
  const auto operators = site_.ssc.operators();
  for (std::uint32_t writer = 0; writer < operators.size(); ++writer) {
    if (!moves_rows(operators[writer])) continue;
    for (std::uint32_t reader = 0; reader < operators.size(); ++reader) {
      const auto reads = [&](TensorId tensor) {
        return std::ranges::find(operators[reader].inputs, tensor) != operators[reader].inputs.end();
      };
      if (!std::ranges::any_of(operators[writer].outputs, reads)) continue;
      for (std::uint32_t part = 0; part < parts_; ++part)
        precede(writer * parts_ + part, reader * parts_ + part);
    }
  }
}

void StreamedKernels::link_events() {
  const auto tasks = site_.ssc.tasks();
  for (std::uint32_t t = 0; t < tasks.size(); ++t) {
    const std::uint32_t event = tasks[t].dependent_event;
    if (event == kNone || site_.events.is_complete(event)) continue;
    std::vector<std::uint32_t>& waiting = waiting_[event];
    if (std::ranges::find(waiting, kernel_of_[t]) != waiting.end()) continue;
    waiting.push_back(kernel_of_[t]);
    ++kernels_[kernel_of_[t]].missing;
  }
}

void StreamedKernels::launch(Engine& engine) {
  launched_ = true;
  link_events();
  Cause cause;
  if (site_.records()) {
    const Duration now = engine.now().time_since_epoch(),
                   launch = first_launch(site_.program, site_.options.launch);
    cause = site_.host_did({Blame::kLaunch, 0, now - launch, now - launch, now, {}});
  }
  std::vector<std::uint32_t> first;
  for (std::uint32_t k = 0; k < kernels_.size(); ++k)
    if (kernels_[k].missing == 0) first.push_back(k);
  for (const std::uint32_t kernel : first) {
    kernels_[kernel].began = true;
    kernels_[kernel].ready = engine.now();
    kernels_[kernel].cause = cause;
    on_event(engine, kernel * kCalls + kLaunched);
  }
}

bool StreamedKernels::meets(const Kernel& kernel) const {
  return collectives_ && kernel.exchanges && site_.group.ranks() > 1;
}

Duration StreamedKernels::collective_work() const {
  const Program::Collective& spec = site_.program.collective;
  return spec.fixed + spec.per_peer * (site_.group.ranks() - 1);
}

void StreamedKernels::begin(Engine& engine, std::uint32_t kernel, const Cause& cause) {
  kernels_[kernel].began = true;
  kernels_[kernel].ready = engine.now();
  kernels_[kernel].cause = cause;
  engine.schedule(engine.now() + site_.program.launch.queued, *this, kernel * kCalls + kLaunched);
}

void StreamedKernels::on_event(Engine& engine, std::uint32_t value) {
  const std::uint32_t number = value / kCalls;
  Kernel& kernel = kernels_[number];
  const Duration now = engine.now().time_since_epoch();
  const auto did = [&](Blame what, Duration asked, Duration start, Cause cause) {
    if (site_.records()) kernel.cause = site_.host_did({what, kernel.op, asked, start, now, cause});
  };
  const auto meeting = [&] {
    Cause last = site_.group.last_came_from();
    last.kind = Cause::Kind::kMeeting;
    return last;
  };
  const Duration came = site_.group.came(site_.ssc.rank()).time_since_epoch();
  if (value % kCalls == kLaunched) {
    const Duration ready = kernel.ready.time_since_epoch();
    did(Blame::kLaunch, ready, ready, kernel.cause);
    if (!meets(kernel)) return deal(engine, number);
    return site_.group.arrive(engine, site_.ssc.rank(), collective_work(), number * kCalls + kMet,
                              kernel.cause);
  }
  if (value % kCalls == kMet) {
    did(Blame::kCollective, came, now - collective_work(), meeting());
    return deal(engine, number);
  }
  did(Blame::kHop, came, now - site_.group.farthest(), meeting());
  finish(engine, number, {Cause::Kind::kHost, true, kernel.cause.rank, kernel.cause.number});
}

// A collective sends to all ranks at once, and to each rank in order. Remaining workers, if any, copy the
// rows that stay.
std::uint32_t StreamedKernels::worker_of(const Kernel& kernel, std::uint32_t i) const {
  const Ssc& ssc = site_.ssc;
  const TaskDescriptor& td = ssc.tasks()[kernel.tasks[i]];
  const WorkerSet& set = ssc.worker_sets()[td.worker_set];
  const std::uint32_t first = ssc.kinds().first_worker(set.queue_type) + set.first;
  if (!kernel.exchanges || !collectives_) return first + i % set.count;
  const std::uint32_t ranks = site_.group.ranks(), behind = (td.dst + ranks - index(ssc.rank())) % ranks;
  if (behind != 0 || set.count <= ranks) return first + behind % set.count;
  return first + ranks + i % (set.count - ranks);
}

void StreamedKernels::deal(Engine& engine, std::uint32_t number) {
  const Kernel& kernel = kernels_[number];
  if (kernel.tasks.empty()) return end(engine, number, kernel.cause);
  std::vector<std::uint32_t> workers;
  for (std::uint32_t i = 0; i < kernel.tasks.size(); ++i) {
    const std::uint32_t worker = worker_of(kernel, i);
    if (dealt_[worker].empty() && !busy_[worker]) workers.push_back(worker);
    dealt_[worker].push_back(kernel.tasks[i]);
  }
  std::ranges::sort(workers);
  for (const std::uint32_t worker : workers) take(engine, worker, {kernel.cause, {}});
}

void StreamedKernels::take(Engine& engine, std::uint32_t worker, const StartReason& why) {
  busy_[worker] = !dealt_[worker].empty();
  if (!busy_[worker]) return;
  const std::uint32_t task = dealt_[worker].front();
  dealt_[worker].pop_front();
  site_.workers.assign(worker, task, engine.now());
  site_.workers.run_at(engine, worker, engine.now(), why);
}

void StreamedKernels::worker_is_free(Engine& engine, std::uint32_t worker, std::uint32_t task) {
  take(engine, worker, {site_.task_cause(Cause::Kind::kLane, task), {}});
  const std::uint32_t kernel = kernel_of_[task];
  if (--kernels_[kernel].unfinished == 0) end(engine, kernel, site_.task_cause(Cause::Kind::kKernel, task));
}

void StreamedKernels::end(Engine& engine, std::uint32_t number, const Cause& cause) {
  if (!meets(kernels_[number])) return finish(engine, number, cause);
  site_.group.arrive(engine, site_.ssc.rank(), site_.group.farthest(), number * kCalls + kOver, cause);
}

void StreamedKernels::finish(Engine& engine, std::uint32_t number, const Cause& cause) {
  kernels_[number].over = true;
  for (const std::uint32_t next : kernels_[number].next)
    if (--kernels_[next].missing == 0) begin(engine, next, cause);
}

void StreamedKernels::event_is_complete(Engine& engine, std::uint32_t event) {
  if (!launched_) return;  // triggered by a rank that started earlier; launch() finds it
  Cause cause;
  if (site_.records()) {
    cause = site_.event_cause(event);
    cause.kind = Cause::Kind::kDependency;
  }
  for (const std::uint32_t kernel : waiting_[event])
    if (--kernels_[kernel].missing == 0) begin(engine, kernel, cause);
}

std::string StreamedKernels::blocked() const {
  std::string lines;
  for (const Kernel& kernel : kernels_) {
    if (kernel.over || kernel.began || kernel.tasks.empty()) continue;
    const auto waits = [&](std::uint32_t task) {
      const std::uint32_t event = site_.ssc.tasks()[task].dependent_event;
      return event != kNone && !site_.events.is_complete(event);
    };
    const auto found = std::ranges::find_if(kernel.tasks, waits);
    if (found != kernel.tasks.end()) lines += site_.waits(*found, kNone);
  }
  return lines;
}

}  // namespace a3sim
