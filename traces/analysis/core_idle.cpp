#include "traces/analysis/core_idle.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {

void CoreIdle::split(Duration latency, Duration bound) {
  const Duration best = std::clamp(bound, busy, std::max(latency, busy));
  forced = best - busy;
  avoidable = std::max(Duration::zero(), latency - best);
}

std::vector<CoreIdle> core_idle(const Trace& trace, Duration bound) {
  const WorkerKinds& kinds = trace.machine.workers;
  const Duration latency = trace.latency();
  std::vector<CoreIdle> cores;
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const std::size_t first = cores.size();
    for (std::uint32_t worker = 0; worker < kinds.workers(); ++worker)
      cores.push_back({rank, std::string(kinds[kinds.queue_of(worker)].name), kinds.worker_name(worker)});
    for (const TraceTask& task : trace.ranks[rank])
      if (task.start < latency) cores[first + task.worker].busy += std::min(task.end, latency) - task.start;
    for (std::size_t core = first; core < cores.size(); ++core) cores[core].split(latency, bound);
  }
  return cores;
}

void add_core_idle(Report& report, std::span<const CoreIdle> cores, Duration latency,
                   const std::string& sentence) {
  Table& table =
      report.table("cores", {Column::words("idle time of cores").for_people(), Column::data("rank"),
                             Column::data("core"), Column::microseconds("busy us", "busy_ps"),
                             Column::microseconds("forced idle us", "forced_idle_ps"),
                             Column::microseconds("avoidable us, at most", "avoidable_idle_ps"),
                             Column::percent("of the latency").for_people()});
  const auto add = [&](const std::string& name, const Cell& rank, const std::string& core,
                       const CoreIdle& times, Audience seen) {
    table.add({name, rank, core, times.busy, times.forced, times.avoidable, share(times.avoidable, latency)},
              seen);
  };
  std::vector<std::string> kinds;
  for (const CoreIdle& core : cores)
    if (std::ranges::find(kinds, core.kind) == kinds.end()) kinds.push_back(core.kind);
  for (const std::string& kind : kinds) {
    CoreIdle mean;
    const CoreIdle* most = nullptr;
    std::int64_t count = 0;
    for (const CoreIdle& core : cores) {
      if (core.kind != kind) continue;
      mean.busy += core.busy;
      mean.forced += core.forced;
      mean.avoidable += core.avoidable;
      if (!most || core.avoidable > most->avoidable) most = &core;
      ++count;
    }
    for (Duration* const time : {&mean.busy, &mean.forced, &mean.avoidable}) *time /= count;
    add(fmt::format("{}, mean of {}", kind, count), {}, "", mean, Audience::kPeople);
    if (most->avoidable > mean.avoidable)
      add(fmt::format("most: {} of rank {}", most->core, most->rank), {}, "", *most, Audience::kPeople);
  }
  for (const CoreIdle& core : cores) add("", whole(core.rank), core.core, core, Audience::kPrograms);
  report.say(sentence, "cores_sentence");
}

void add_core_idle(Report& report, const Trace& trace, Duration bound) {
  add_core_idle(
      report, core_idle(trace, bound), trace.latency(),
      fmt::format(
          "No order of these tasks and rows ends before {} ms: what a core idles until then is forced, and "
          "the best order saves at most the rest.\n",
          in_milliseconds(bound)));
}

}  // namespace a3sim
