#include "sim/runtime/executions/static_execution.h"

namespace a3sim {

StaticExecution::StaticExecution(const ExecutionSite& site, const std::vector<bool>& operators)
    : site_(site),
      queues_(site.ssc, operators),
      workers_(queues_.workers()),
      first_waiter_(site.ssc.events().size(), kNone) {}

void StaticExecution::start(Engine& engine, const Cause& cause, std::span<const Duration> waited) {
  for (std::uint32_t w = 0; w < workers_.size(); ++w)
    take(engine, w, {cause, waited.empty() ? Duration::zero() : waited[w]});
}

void StaticExecution::take(Engine& engine, std::uint32_t worker, const StartReason& why) {
  Worker& w = workers_[worker];
  w.task = queues_.take(worker);
  if (w.task == kNone) return;
  site_.workers.assign(worker, w.task, engine.now());
  w.checked = engine.now() + site_.program.tasks.static_task;
  const std::uint32_t event = site_.ssc.tasks()[w.task].dependent_event;
  if (event == kNone || site_.events.is_complete(event))
    return site_.workers.run_at(engine, worker, w.checked, why);
  w.why = why;
  w.waiting = true;
  w.next_waiter = first_waiter_[event];
  first_waiter_[event] = worker;
}

void StaticExecution::event_is_complete(Engine& engine, std::uint32_t event) {
  for (std::uint32_t worker = first_waiter_[event]; worker != kNone;) {
    Worker& w = workers_[worker];
    w.waiting = false;
    const Time at = seen(worker, engine.now());
    w.why.waited += at - w.checked;
    if (site_.records() && engine.now() > w.checked) w.why.cause = site_.event_cause(event);
    site_.workers.run_at(engine, worker, at, w.why);
    worker = w.next_waiter;
  }
  first_waiter_[event] = kNone;
}

Time StaticExecution::seen(std::uint32_t worker, Time now) const {
  const Time checked = workers_[worker].checked;
  if (now <= checked) return checked;
  const Duration poll = site_.options.poll_of(queues_.queue_of(worker));
  if (poll == Duration::zero()) return now;
  return checked + ((now - checked + poll - Duration(1)) / poll) * poll;
}

std::string StaticExecution::blocked() const {
  std::string lines;
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) {
    if (workers_[worker].waiting) lines += site_.waits(workers_[worker].task, worker);
  }
  return lines;
}

}  // namespace a3sim
