#include "sim/runtime/kernel_execution.h"

#include <algorithm>

#include "sim/runtime/device.h"
#include "sim/runtime/group.h"

namespace a3sim {

KernelExecution::KernelExecution(Device& device) : device_(device), dealt_(device.workers()) {
  const Ssc& ssc = device.ssc();
  const auto operators = ssc.operators();
  std::vector<std::uint32_t> order(operators.size());
  for (std::uint32_t op = 0; op < order.size(); ++op) order[op] = op;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return operators[a].stage < operators[b].stage; });
  std::vector<Kernel> kernels(operators.size());
  for (std::uint32_t op = 0; op < operators.size(); ++op) {
    const Operator& of = Operators::get(operators[op].type);
    kernels[op].queue = of.queue();
    kernels[op].collective = of.task_type() == TaskType::kPutMemSignal;
  }
  for (const QueueType queue : {QueueType::kCtq, QueueType::kVtq}) {
    for (const std::uint32_t task : ssc.queue(queue)) kernels[ssc.tasks()[task].op].tasks.push_back(task);
  }
  for (const std::uint32_t op : order) kernels_.push_back(std::move(kernels[op]));
}

void KernelExecution::start_kernel(Engine& engine) {
  if (kernel_ == kernels_.size()) return;
  Group& group = device_.group();
  if (!kernels_[kernel_].collective || group.ranks() == 1) return deal(engine);
  const Hardware::Collective& spec = device_.hardware().collective;
  group.arrive(engine, spec.fixed + spec.per_peer * (group.ranks() - 1), kMet);
}

// A collective sends to every rank at a time, what goes to one rank in order; what stays is copied by the
// others, if there are any.
std::uint32_t KernelExecution::worker_of(const Kernel& kernel, std::uint32_t i) const {
  const Ssc& ssc = device_.ssc();
  const std::uint32_t cubes = ssc.workers(QueueType::kCtq);
  if (kernel.queue == QueueType::kCtq) return i % cubes;
  const std::uint32_t vectors = ssc.workers(QueueType::kVtq);
  if (!kernel.collective) return cubes + i % vectors;
  const std::uint32_t dst = ssc.tasks()[kernel.tasks[i]].dst, ranks = device_.group().ranks();
  if (dst != index(ssc.rank()) || vectors <= ranks) return cubes + dst % vectors;
  return cubes + ranks + i % (vectors - ranks);
}

void KernelExecution::deal(Engine& engine) {
  const Kernel& kernel = kernels_[kernel_];
  unfinished_ = static_cast<std::uint32_t>(kernel.tasks.size());
  if (unfinished_ == 0) return end_kernel(engine);
  for (std::uint32_t i = unfinished_; i-- > 0;) dealt_[worker_of(kernel, i)].push_back(kernel.tasks[i]);
  for (std::uint32_t w = 0; w < dealt_.size(); ++w) take(engine, w);
}

void KernelExecution::take(Engine& engine, std::uint32_t worker) {
  if (dealt_[worker].empty()) return;
  device_.assign(worker, dealt_[worker].back(), engine.now());
  dealt_[worker].pop_back();
  device_.run_at(engine, worker, engine.now());
}

void KernelExecution::worker_is_free(Engine& engine, std::uint32_t worker) {
  take(engine, worker);
  if (--unfinished_ == 0) end_kernel(engine);
}

void KernelExecution::end_kernel(Engine& engine) {
  const bool collective = kernels_[kernel_++].collective;
  const Hardware& hardware = device_.hardware();
  Group& group = device_.group();
  if (collective && group.ranks() > 1) {
    group.arrive(engine, hardware.fabric.hop_latency + hardware.runtime.kernel_launch, kLaunched);
  } else if (kernel_ < kernels_.size()) {
    device_.call_later(engine, engine.now() + hardware.runtime.kernel_launch, kLaunched);
  }
}

void KernelExecution::called(Engine& engine, std::uint32_t value) {
  value == kMet ? deal(engine) : start_kernel(engine);
}

}  // namespace a3sim
