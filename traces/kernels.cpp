#include "traces/kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"

namespace a3sim {

Kernels::Kernels(const Causes& causes)
    : trace_(causes.trace()), order_(trace_.operators.size()), place_(trace_.operators.size()) {
  for (std::uint32_t op = 0; op < order_.size(); ++op) order_[op] = op;
  std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return trace_.operators[a].stage < trace_.operators[b].stage;
  });
  for (std::uint32_t k = 0; k < count(); ++k) place_[order_[k]] = k;
  ranks_.assign(trace_.ranks.size(), std::vector<Kernel>(count()));
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    for (std::uint32_t t = 0; t < trace_.ranks[r].size(); ++t) {
      const TraceTask& task = trace_.ranks[r][t];
      Kernel& kernel = ranks_[r][of(task.op)];
      if (kernel.last != kNone && kernel.ended >= task.end) continue;
      kernel.last = t;
      kernel.ended = task.end;
    }
  }
  const TraceMachine& machine = trace_.machine;
  for (std::uint32_t k = 0; k < count(); ++k) {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      Duration launched = machine.launch;
      if (k > 0 && meets(k - 1)) {
        launched += at(last_to_end(k - 1), k - 1).ended + machine.farthest;
      } else if (k > 0) {
        launched += at(r, k - 1).ended;
      }
      ranks_[r][k].launched = launched;
    }
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) run(r, k);
  }
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    for (std::uint32_t t = 0; t < trace_.ranks[r].size(); ++t) {
      const TraceTask& task = trace_.ranks[r][t];
      if (task.start >= at(r, of(task.op)).dealt) continue;
      throw InputError(fmt::format("rank {}: task {} starts before the kernel of {} can run", r, t,
                                   trace_.operators[task.op].name));
    }
  }
}

void Kernels::run(std::uint32_t rank, std::uint32_t kernel) {
  Kernel& of = ranks_[rank][kernel];
  of.dealt =
      meets(kernel) ? at(last_to_come(kernel), kernel).launched + trace_.machine.collective : of.launched;
  if (of.last == kNone) of.ended = of.dealt;
}

bool Kernels::meets(std::uint32_t kernel) const {
  return trace_.operators[order_[kernel]].unit == TaskUnit::kPut && ranks_.size() > 1;
}

std::uint32_t Kernels::last_to_come(std::uint32_t kernel) const {
  std::uint32_t last = 0;
  for (std::uint32_t r = 1; r < ranks_.size(); ++r) {
    if (at(r, kernel).launched > at(last, kernel).launched) last = r;
  }
  return last;
}

std::uint32_t Kernels::last_to_end(std::uint32_t kernel) const {
  std::uint32_t last = 0;
  for (std::uint32_t r = 1; r < ranks_.size(); ++r) {
    if (at(r, kernel).ended > at(last, kernel).ended) last = r;
  }
  return last;
}

}  // namespace a3sim
