#include <algorithm>

#include "traces/formats/ascend/profiled_rank.h"
#include "traces/formats/stage_names.h"
#include "traces/import/measured.h"
#include "traces/import/rank_time.h"

// A simulated run, as a profiler would have measured it.
namespace a3sim {
namespace {

void add_tasks(const Trace& trace, std::uint32_t rank, Duration begin, RankTime& time, Measured& to) {
  for (const TraceTask& task : trace.ranks[rank]) {
    const std::string& name = trace.operators[task.op].name;
    const bool waits = task.dependent_event != kNone && !trace.machine.has_kernels();
    const Duration ran = task.end - task.start;
    to.at(rank, name).add(ran, waits ? task.start - task.taken : Duration::zero());
    if (MeasuredTask* of = to.task(rank, name, task.index)) {
      ++of->count;
      of->total += ran;
    }
    time.add(begin + task.start, begin + task.end, is_exchange(name),
             trace.operators[task.op].unit == TaskUnit::kCube);
  }
}

void add_kernels(const ProfiledStep& of, std::uint32_t rank, Measured& to) {
  KernelOrder order;
  for (const ProfiledKernel& kernel : of.kernels) {
    Occurrences& sum = to.at(rank, kernel.name);
    sum.add(kernel.end - kernel.start, kernel.wait);
    sum.workers = std::max(sum.workers, kernel.workers);
    sum.run += kernel.run;
    sum.arithmetic += kernel.arithmetic;
    order.add(kernel.start, kernel.end);
    if (!kernel.hit_rate) continue;
    sum.hits += *kernel.hit_rate;
    ++sum.hits_known;
  }
  to.ranks[rank].span = order.span();
}

void add_exchanges(const ProfiledStep& of, std::uint32_t rank, Measured& to) {
  for (const ProfiledExchange& exchange : of.exchanges) {
    Occurrences& sum = to.exchange(rank, exchange.name);
    sum.add(exchange.end - exchange.start, Duration::zero());
    sum.transit += exchange.transit;
    for (const auto& [bytes, time] : exchange.puts) to.packet(rank, bytes).add(time, Duration::zero());
  }
}

MeasuredSteps steps_of(const ProfiledStep& of) {
  return {of.length, length_of(of.computing), length_of(of.communicating),
          length_of(of.communicating - of.computing)};
}

}  // namespace

Measured measured(std::span<const TracedPass> passes, MeasuredUnit unit) {
  Measured to;
  to.unit = unit;
  for (std::uint32_t r = 0; r < passes.front().trace.ranks.size(); ++r) {
    if (unit == MeasuredUnit::kKernel) {
      const ProfiledStep of = profiled(passes, r);
      add_kernels(of, r, to);
      add_exchanges(of, r, to);
      to.ranks[r].steps = steps_of(of);
      continue;
    }
    RankTime time;
    Duration begin{};
    for (const TracedPass& pass : passes) {
      add_tasks(pass.trace, r, begin, time, to);
      begin += pass.trace.makespan;
    }
    to.ranks[r].steps = time.steps();
    to.ranks[r].span = time.span();
  }
  return to;
}

}  // namespace a3sim
