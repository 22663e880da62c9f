#include "traces/analysis/kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"

namespace a3sim {

Kernels::Kernels(const Causes& causes) : trace_(causes.trace()), kernel_of_(trace_.operators.size()) {
  group_operators();
  find_ends();
  for (std::uint32_t k = 0; k < count(); ++k) run(k);
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    for (std::uint32_t t = 0; t < trace_.ranks[r].size(); ++t) {
      const TraceTask& task = trace_.ranks[r][t];
      if (task.taken >= at(r, of(task.op)).dealt) continue;
      throw InputError(fmt::format("rank {}: task {} starts before the kernel of {} can run", r, t,
                                   trace_.operators[task.op].name));
    }
  }
}

void Kernels::group_operators() {
  std::vector<std::uint32_t> order(trace_.operators.size());
  for (std::uint32_t op = 0; op < order.size(); ++op) order[op] = op;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return trace_.operators[a].stage < trace_.operators[b].stage;
  });
  bool open = false;  // the last kernel takes more operators
  for (const std::uint32_t op : order) {
    const bool alone = trace_.machine.by_kernels || trace_.operators[op].unit == TaskUnit::kPut;
    if (alone || !open) first_op_.push_back(op);
    kernel_of_[op] = count() - 1;
    open = !alone;
  }
}

void Kernels::find_ends() {
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
}

void Kernels::run(std::uint32_t k) {
  const TraceMachine& machine = trace_.machine;
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    Duration& launched = ranks_[r][k].launched;
    if (k == 0) {
      launched = trace_.starts[r];
    } else if (meets(k - 1)) {
      launched = at(last_to_end(k - 1), k - 1).ended + machine.farthest;
    } else {
      launched = at(r, k - 1).ended;
    }
    launched += launch_of(k);
  }
  for (std::vector<Kernel>& rank : ranks_) {
    Kernel& of = rank[k];
    of.dealt = meets_before(k) ? at(last_to_come(k), k).launched + machine.collective : of.launched;
    if (of.last == kNone) of.ended = of.dealt;
  }
}

Duration Kernels::launch_of(std::uint32_t kernel) const {
  return kernel == 0 ? trace_.machine.launch : trace_.operators[first_op_[kernel]].gap;
}

bool Kernels::meets(std::uint32_t kernel) const {
  return trace_.operators[first_op_[kernel]].unit == TaskUnit::kPut && ranks_.size() > 1;
}

std::uint32_t Kernels::last_by(std::uint32_t kernel, Duration Kernel::* date) const {
  const auto last =
      std::ranges::max_element(ranks_, {}, [&](const auto& rank) { return rank[kernel].*date; });
  return static_cast<std::uint32_t>(last - ranks_.begin());
}

}  // namespace a3sim
