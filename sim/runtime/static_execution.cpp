#include "sim/runtime/static_execution.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/runtime/device.h"

namespace a3sim {

StaticExecution::StaticExecution(Device& device)
    : StaticExecution(device, std::vector<bool>(device.ssc().operators().size(), true)) {}

StaticExecution::StaticExecution(Device& device, const std::vector<bool>& operators)
    : device_(device),
      queues_(device.ssc(), operators),
      workers_(queues_.workers()),
      first_waiter_(device.ssc().events().size(), kNone) {}

void StaticExecution::launch(Engine& engine) {
  for (std::uint32_t w = 0; w < workers_.size(); ++w) take(engine, w);
}

void StaticExecution::take(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  w.task = queues_.take(worker);
  if (w.task == kNone) return;
  device_.assign(worker, w.task, engine.now());
  w.checked = engine.now() + device_.hardware().runtime.static_task;
  const std::uint32_t event = device_.ssc().tasks()[w.task].dependent_event;
  if (event == kNone || device_.is_complete(event)) return device_.run_at(engine, worker, w.checked);
  w.waiting = true;
  w.next_waiter = first_waiter_[event];
  first_waiter_[event] = worker;
}

void StaticExecution::event_is_complete(Engine& engine, std::uint32_t event) {
  for (std::uint32_t worker = first_waiter_[event]; worker != kNone;) {
    Worker& w = workers_[worker];
    w.waiting = false;
    device_.run_at(engine, worker, seen(worker, engine.now()));
    worker = w.next_waiter;
  }
  first_waiter_[event] = kNone;
}

Time StaticExecution::seen(std::uint32_t worker, Time now) const {
  const Time checked = workers_[worker].checked;
  if (now <= checked) return checked;
  const Duration poll = device_.options().poll[static_cast<std::size_t>(queues_.queue_of(worker))];
  if (poll == Duration::zero()) return now;
  return checked + ((now - checked + poll - Duration(1)) / poll) * poll;
}

std::string StaticExecution::blocked() const {
  std::string lines;
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) {
    if (workers_[worker].waiting) lines += device_.waits(workers_[worker].task, worker);
  }
  return lines;
}

}  // namespace a3sim
