#include <algorithm>
#include <vector>

#include "sim/runtime/execution.h"

namespace a3sim {
namespace {

// A scheduler on the device hands ready tasks to free workers. It takes the ready task that is first in its
// queue, or that has been ready longest, and the free worker with the smallest number that may run it. Each
// of its servers handles one task at a time. Worker sets of the schedule apply, its assignment of workers
// does not.
class DynamicExecution final : public Execution {
 public:
  explicit DynamicExecution(const ExecutionSite& site);

  void launch(Engine& engine) override;
  void worker_is_free(Engine& engine, std::uint32_t worker, std::uint32_t task) override;
  void event_is_complete(Engine& engine, std::uint32_t event) override;
  // Called when a server has handed a task out.
  void on_event(Engine& engine, std::uint32_t worker) override;
  // Called when everything else at this time has happened.
  void on_settle(Engine& engine, std::uint32_t arg) override;
  std::string blocked() const override;

 private:
  // Adds the tasks that became ready at this time.
  void add_ready();
  // Hands out tasks while a server is free, after everything else at this time, so that the order of events
  // within a time does not matter.
  void serve(Engine& engine) { engine.settle(*this, 0); }
  std::uint32_t free_worker(std::uint32_t set) const;
  bool earlier(std::uint32_t a, std::uint32_t b) const;
  void record_why(std::uint32_t worker, std::uint32_t task, Time now);

  const ExecutionSite& site_;
  bool launched_ = false;  // events that complete earlier are found at the launch
  std::uint32_t free_servers_;
  std::uint32_t idle_servers_;  // servers that have not handed out anything yet
  // By task: its position in its queue. For ready tasks under kFifo: the number in the order of becoming
  // ready.
  std::vector<std::uint32_t> place_;
  std::vector<std::uint32_t> new_;  // became ready at this time
  std::uint32_t readied_ = 0;
  std::vector<std::vector<std::uint32_t>> ready_;  // by worker set: a heap of tasks, the earliest on top
  std::vector<bool> free_, handed_;                // by worker; by task
  // If records are kept: by worker, its current or last task, and the reason for it; and the task that was
  // handed out last.
  struct Worker {
    std::uint32_t task = kNone;
    Time freed;
    StartReason why;
  };
  std::vector<Worker> recorded_;
  std::uint32_t last_handed_ = kNone;
  Time last_handed_at_;
  // The tasks in order of their events, and the first index of each event.
  std::vector<std::uint32_t> waiting_, first_;
};

DynamicExecution::DynamicExecution(const ExecutionSite& site)
    : site_(site), free_servers_(site.options.dispatch_servers), idle_servers_(free_servers_) {
  const Ssc& ssc = site.ssc;
  place_.resize(ssc.tasks().size());
  for (std::uint32_t q = 0; q < ssc.queues(); ++q) {
    const auto tasks = ssc.queue(q);
    for (std::uint32_t i = 0; i < tasks.size(); ++i) place_[tasks[i]] = i;
  }
  free_.assign(site.worker_count(), true);
  handed_.assign(ssc.tasks().size(), false);
  if (site.records()) recorded_.resize(site.worker_count());
  ready_.resize(ssc.worker_sets().size());
  first_.assign(ssc.events().size() + 1, 0);
  for (const TaskDescriptor& td : ssc.tasks()) {
    if (td.dependent_event != kNone) ++first_[td.dependent_event + 1];
  }
  for (std::size_t e = 1; e < first_.size(); ++e) first_[e] += first_[e - 1];
  waiting_.resize(first_.back());
  std::vector<std::uint32_t> next = first_;
  for (std::uint32_t t = 0; t < ssc.tasks().size(); ++t) {
    const std::uint32_t event = ssc.tasks()[t].dependent_event;
    if (event != kNone) waiting_[next[event]++] = t;
  }
}

void DynamicExecution::launch(Engine& engine) {
  launched_ = true;
  const auto tasks = site_.ssc.tasks();
  for (std::uint32_t t = 0; t < tasks.size(); ++t) {
    const std::uint32_t event = tasks[t].dependent_event;
    if (event == kNone || site_.events.is_complete(event)) new_.push_back(t);
  }
  serve(engine);
}

bool DynamicExecution::earlier(std::uint32_t a, std::uint32_t b) const {
  return place_[a] != place_[b] ? place_[a] < place_[b] : a < b;
}

void DynamicExecution::add_ready() {
  if (site_.options.ready == ReadyOrder::kFifo) {
    std::ranges::sort(new_, [this](std::uint32_t a, std::uint32_t b) { return earlier(a, b); });
    for (const std::uint32_t task : new_) place_[task] = readied_++;
  }
  for (const std::uint32_t task : new_) {
    std::vector<std::uint32_t>& heap = ready_[site_.ssc.tasks()[task].worker_set];
    heap.push_back(task);
    std::push_heap(heap.begin(), heap.end(),
                   [this](std::uint32_t a, std::uint32_t b) { return earlier(b, a); });
  }
  new_.clear();
}

std::uint32_t DynamicExecution::free_worker(std::uint32_t set) const {
  const Ssc& ssc = site_.ssc;
  const WorkerSet& workers = ssc.worker_sets()[set];
  const std::uint32_t first = workers.first + ssc.kinds().first_worker(workers.queue_type);
  for (std::uint32_t w = first; w < first + workers.count; ++w) {
    if (free_[w]) return w;
  }
  return kNone;
}

void DynamicExecution::on_settle(Engine& engine, std::uint32_t) {
  add_ready();
  while (free_servers_ > 0) {
    std::uint32_t task = kNone, worker = kNone;
    for (std::uint32_t set = 0; set < ready_.size(); ++set) {
      if (ready_[set].empty() || (task != kNone && !earlier(ready_[set].front(), task))) continue;
      const std::uint32_t found = free_worker(set);
      if (found == kNone) continue;
      task = ready_[set].front();
      worker = found;
    }
    if (task == kNone) return;
    std::vector<std::uint32_t>& heap = ready_[site_.ssc.tasks()[task].worker_set];
    std::pop_heap(heap.begin(), heap.end(),
                  [this](std::uint32_t a, std::uint32_t b) { return earlier(b, a); });
    heap.pop_back();
    --free_servers_;
    free_[worker] = false;
    handed_[task] = true;
    site_.workers.assign(worker, task, engine.now());
    if (site_.records()) record_why(worker, task, engine.now());
    const Duration start = idle_servers_ > 0 ? site_.program.tasks.dynamic_start : Duration::zero();
    if (idle_servers_ > 0) --idle_servers_;
    engine.schedule(engine.now() + start + site_.program.tasks.scheduled(), *this, worker);
  }
}

// Records the last of three conditions as the cause: the event, the free worker, the scheduler. If the
// scheduler takes no time, it delays nobody.
void DynamicExecution::record_why(std::uint32_t worker, std::uint32_t task, Time now) {
  Worker& w = recorded_[worker];
  const std::uint32_t event = site_.ssc.tasks()[task].dependent_event;
  const Time ready = event == kNone ? Time{} : site_.events.last_trigger(event).visible;
  const Time latest = std::max({ready, w.freed, last_handed_at_});
  w.why = {};
  if (latest == Time{}) {
    w.why.cause = {};
  } else if (latest == ready) {
    w.why.cause = site_.event_cause(event);
  } else if (latest == w.freed) {
    w.why.cause = site_.task_cause(Cause::Kind::kLane, w.task);
  } else {
    w.why.cause = site_.task_cause(Cause::Kind::kScheduler, last_handed_);
  }
  if (w.task != kNone) w.why.waited = std::clamp(ready, w.freed, now) - w.freed;
  w.task = task;
}

void DynamicExecution::on_event(Engine& engine, std::uint32_t worker) {
  ++free_servers_;
  StartReason why;
  if (site_.records()) {
    const Worker& w = recorded_[worker];
    why = w.why;
    const bool later = engine.now() > last_handed_at_ || w.task > last_handed_ || last_handed_ == kNone;
    const Program::Tasks& tasks = site_.program.tasks;
    if (tasks.dynamic_start + tasks.scheduled() > Duration::zero() && later) {
      last_handed_ = w.task;
      last_handed_at_ = engine.now();
    }
  }
  site_.workers.run_at(engine, worker, engine.now(), why);
  serve(engine);
}

void DynamicExecution::worker_is_free(Engine& engine, std::uint32_t worker, std::uint32_t) {
  free_[worker] = true;
  if (site_.records()) recorded_[worker].freed = engine.now();
  serve(engine);
}

void DynamicExecution::event_is_complete(Engine& engine, std::uint32_t event) {
  if (!launched_) return;  // triggered by a rank that started earlier
  new_.insert(new_.end(), waiting_.begin() + first_[event], waiting_.begin() + first_[event + 1]);
  serve(engine);
}

std::string DynamicExecution::blocked() const {
  std::string lines;
  for (std::uint32_t t = 0; t < handed_.size(); ++t) {
    if (!handed_[t]) lines += site_.waits(t, kNone);
  }
  return lines;
}

class Dynamic final : public ExecutionType {
 public:
  std::unique_ptr<Execution> create(const ExecutionSite& site) const override {
    return std::make_unique<DynamicExecution>(site);
  }
  std::vector<std::string_view> charges(Transport) const override {
    return {"program.tasks.dynamic_task", "program.tasks.dynamic_start", "program.signals.local_visibility"};
  }
  bool takes_collectives() const override { return false; }
  Duration first_task(const Program& program) const override {
    return program.tasks.dynamic_start + program.tasks.scheduled();
  }
};

A3SIM_REGISTER(ExecutionType, "dynamic", "a scheduler on the device hands ready tasks to free workers",
               Dynamic);

}  // namespace
}  // namespace a3sim
