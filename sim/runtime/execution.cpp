#include "sim/runtime/execution.h"

#include <fmt/format.h>

namespace a3sim {

std::string ExecutionSite::waits(std::uint32_t task, std::uint32_t worker) const {
  const TaskDescriptor& td = ssc.tasks()[task];
  const std::uint32_t cubes = ssc.workers(QueueType::kCtq);
  const std::string who = worker == kNone ? ""
                                          : fmt::format(" {} {}", worker < cubes ? "AIC" : "AIV",
                                                        worker < cubes ? worker : worker - cubes);
  return fmt::format("\n  rank {}{}: task {} ({} {}) waits for event {}: {} of {}", index(ssc.rank()), who,
                     task, ssc.operators()[td.op].name, td.task_index, td.dependent_event,
                     events.count(td.dependent_event), ssc.events()[td.dependent_event].threshold);
}

Hardware hardware_of(const Hardware& hardware, const RunOptions& options, RankId rank) {
  Hardware own = at_clock(hardware, options.rank(rank).clock);
  if (Executions::get(options.execution).by_kernels()) own.runtime.cube_task_start = {};
  return own;
}

}  // namespace a3sim
