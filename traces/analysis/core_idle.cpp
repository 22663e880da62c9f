#include "traces/analysis/core_idle.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {

std::vector<CoreIdle> core_idle(const Trace& trace, Duration bound) {
  const std::uint32_t workers = trace.machine.workers.workers();
  const Duration latency = trace.latency();
  std::vector<CoreIdle> cores;
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const std::size_t first = cores.size();
    for (std::uint32_t worker = 0; worker < workers; ++worker) cores.push_back({rank, worker});
    for (const TraceTask& task : trace.ranks[rank])
      if (task.start < latency) cores[first + task.worker].busy += std::min(task.end, latency) - task.start;
    for (std::size_t core = first; core < cores.size(); ++core) {
      const Duration best = std::clamp(bound, cores[core].busy, std::max(latency, cores[core].busy));
      cores[core].forced = best - cores[core].busy;
      cores[core].avoidable = std::max(Duration::zero(), latency - best);
    }
  }
  return cores;
}

void add_core_idle(Report& report, const Trace& trace, Duration bound) {
  Table& table =
      report.table("cores", {Column::words("idle time of cores").for_people(), Column::data("rank"),
                             Column::data("core"), Column::microseconds("busy us", "busy_ps"),
                             Column::microseconds("forced idle us", "forced_idle_ps"),
                             Column::microseconds("avoidable us, at most", "avoidable_idle_ps"),
                             Column::percent("of the latency").for_people()});
  const WorkerKinds& kinds = trace.machine.workers;
  const std::vector<CoreIdle> cores = core_idle(trace, bound);
  const auto add = [&](const std::string& name, const Cell& rank, const std::string& core,
                       const CoreIdle& times, Audience seen) {
    table.add({name, rank, core, times.busy, times.forced, times.avoidable,
               share(times.avoidable, trace.latency())},
              seen);
  };
  for (std::uint32_t kind = 0; kind < kinds.size(); ++kind) {
    CoreIdle sum;
    const CoreIdle* most = nullptr;
    std::int64_t count = 0;
    for (const CoreIdle& core : cores) {
      if (kinds.queue_of(core.worker) != kind) continue;
      sum.busy += core.busy;
      sum.forced += core.forced;
      sum.avoidable += core.avoidable;
      if (!most || core.avoidable > most->avoidable) most = &core;
      ++count;
    }
    if (!most) continue;
    add(fmt::format("{}, mean of {}", kinds[kind].name, count), {}, "",
        {0, 0, sum.busy / count, sum.forced / count, sum.avoidable / count}, Audience::kPeople);
    if (most->avoidable > sum.avoidable / count)
      add(fmt::format("most: {} of rank {}", kinds.worker_name(most->worker), most->rank), {}, "", *most,
          Audience::kPeople);
  }
  for (const CoreIdle& core : cores)
    add("", whole(core.rank), kinds.worker_name(core.worker), core, Audience::kPrograms);
  report.say(
      fmt::format(
          "No order of these tasks and rows ends before {} ms: what a core idles until then is forced, and "
          "the best order saves at most the rest.\n",
          in_milliseconds(bound)),
      "cores_sentence");
}

}  // namespace a3sim
