#include "sim/runtime/kernel_execution.h"

#include <algorithm>

#include "sim/runtime/device.h"

namespace a3sim {

KernelExecution::KernelExecution(Device& device) : device_(device), next_(device.workers()) {
  const Ssc& ssc = device.ssc();
  const auto operators = ssc.operators();
  std::vector<std::uint32_t> order(operators.size());
  for (std::uint32_t op = 0; op < order.size(); ++op) order[op] = op;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return operators[a].stage < operators[b].stage; });
  std::vector<std::vector<std::uint32_t>> tasks(operators.size());
  for (const QueueType queue : {QueueType::kCtq, QueueType::kVtq}) {
    for (const std::uint32_t task : ssc.queue(queue)) tasks[ssc.tasks()[task].op].push_back(task);
  }
  for (const std::uint32_t op : order) {
    if (!tasks[op].empty()) kernels_.push_back(std::move(tasks[op]));
  }
}

void KernelExecution::start_kernel(Engine& engine) {
  if (kernel_ == kernels_.size()) return;
  const Ssc& ssc = device_.ssc();
  const bool cube =
      ssc.tasks()[kernels_[kernel_].front()].queue_type == static_cast<std::uint8_t>(QueueType::kCtq);
  first_worker_ = cube ? 0 : ssc.workers(QueueType::kCtq);
  workers_ = ssc.workers(cube ? QueueType::kCtq : QueueType::kVtq);
  unfinished_ = static_cast<std::uint32_t>(kernels_[kernel_].size());
  for (std::uint32_t w = 0; w < workers_; ++w) {
    next_[first_worker_ + w] = w;
    take(engine, first_worker_ + w);
  }
}

void KernelExecution::take(Engine& engine, std::uint32_t worker) {
  const std::vector<std::uint32_t>& tasks = kernels_[kernel_];
  const std::size_t at = next_[worker];
  if (at >= tasks.size()) return;
  next_[worker] += workers_;
  device_.assign(worker, tasks[at], engine.now());
  device_.run_at(engine, worker, engine.now());
}

void KernelExecution::worker_is_free(Engine& engine, std::uint32_t worker) {
  if (--unfinished_ > 0) return take(engine, worker);
  ++kernel_;
  if (kernel_ < kernels_.size()) {
    device_.call_later(engine, engine.now() + device_.hardware().runtime.kernel_launch, 0);
  }
}

}  // namespace a3sim
