#include "sim/runtime/dynamic_execution.h"

#include <algorithm>

#include "sim/runtime/device.h"

namespace a3sim {

DynamicExecution::DynamicExecution(Device& device)
    : device_(device), free_servers_(device.options().dispatch_servers) {
  const Ssc& ssc = device.ssc();
  place_.resize(ssc.tasks().size());
  for (const QueueType queue : {QueueType::kCtq, QueueType::kVtq}) {
    const auto tasks = ssc.queue(queue);
    for (std::uint32_t i = 0; i < tasks.size(); ++i) place_[tasks[i]] = i;
  }
  free_.assign(device.workers(), true);
  handed_.assign(ssc.tasks().size(), false);
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
  const auto tasks = device_.ssc().tasks();
  for (std::uint32_t t = 0; t < tasks.size(); ++t) {
    const std::uint32_t event = tasks[t].dependent_event;
    if (event == kNone || device_.is_complete(event)) add_ready(t);
  }
  serve(engine);
}

bool DynamicExecution::earlier(std::uint32_t a, std::uint32_t b) const {
  return place_[a] != place_[b] ? place_[a] < place_[b] : a < b;
}

void DynamicExecution::add_ready(std::uint32_t task) {
  std::vector<std::uint32_t>& heap = ready_[device_.ssc().tasks()[task].worker_set];
  heap.push_back(task);
  std::push_heap(heap.begin(), heap.end(),
                 [this](std::uint32_t a, std::uint32_t b) { return earlier(b, a); });
}

std::uint32_t DynamicExecution::free_worker(std::uint32_t set) const {
  const Ssc& ssc = device_.ssc();
  const WorkerSet& workers = ssc.worker_sets()[set];
  const bool vector = workers.queue_type == static_cast<std::uint32_t>(QueueType::kVtq);
  const std::uint32_t first = workers.first + (vector ? ssc.workers(QueueType::kCtq) : 0);
  for (std::uint32_t w = first; w < first + workers.count; ++w) {
    if (free_[w]) return w;
  }
  return kNone;
}

void DynamicExecution::serve(Engine& engine) {
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
    std::vector<std::uint32_t>& heap = ready_[device_.ssc().tasks()[task].worker_set];
    std::pop_heap(heap.begin(), heap.end(),
                  [this](std::uint32_t a, std::uint32_t b) { return earlier(b, a); });
    heap.pop_back();
    --free_servers_;
    free_[worker] = false;
    handed_[task] = true;
    device_.assign(worker, task, engine.now());
    device_.call_later(engine, engine.now() + device_.hardware().runtime.dynamic_task, worker);
  }
}

void DynamicExecution::called(Engine& engine, std::uint32_t worker) {
  ++free_servers_;
  device_.run_at(engine, worker, engine.now());
  serve(engine);
}

void DynamicExecution::worker_is_free(Engine& engine, std::uint32_t worker) {
  free_[worker] = true;
  serve(engine);
}

void DynamicExecution::event_is_complete(Engine& engine, std::uint32_t event) {
  if (!launched_) return;  // rows of a rank that started earlier
  for (std::uint32_t i = first_[event]; i < first_[event + 1]; ++i) add_ready(waiting_[i]);
  serve(engine);
}

std::string DynamicExecution::blocked() const {
  std::string lines;
  for (std::uint32_t t = 0; t < handed_.size(); ++t) {
    if (!handed_[t]) lines += device_.waits(t, kNone);
  }
  return lines;
}

}  // namespace a3sim
