#include "sim/runtime/execution.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {
namespace {

BytesPerSecond part_of(BytesPerSecond rate, double part) {
  return {std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(rate.count) * part))};
}

}  // namespace

std::string ExecutionSite::waits(std::uint32_t task, std::uint32_t worker) const {
  const TaskDescriptor& td = ssc.tasks()[task];
  const std::string who = worker == kNone ? "" : fmt::format(" {}", ssc.kinds().worker_name(worker));
  return fmt::format("\n  rank {}{}: task {} ({} {}) waits for event {}: {} of {}", index(ssc.rank()), who,
                     task, ssc.operators()[td.op].name, td.task_index, td.dependent_event,
                     events.count(td.dependent_event), ssc.events()[td.dependent_event].threshold);
}

bool charges(const RunOptions& options, std::string_view path) {
  const std::vector<std::string_view> values = Executions::get(options.execution).charges(options.transport);
  return std::ranges::find(values, path) != values.end();
}

Hardware hardware_of(const Hardware& hardware, const RankOptions& rank) {
  Hardware own = at_clock(hardware, rank.clock);
  if (rank.hbm != 1) {
    own.memory.hbm_read = part_of(own.memory.hbm_read, rank.hbm);
    own.memory.hbm_write = part_of(own.memory.hbm_write, rank.hbm);
  }
  return own;
}

Hardware hardware_of(const Hardware& hardware, const RunOptions& options, RankId rank) {
  return hardware_of(hardware, options.rank(rank));
}

Program program_of(const Program& program, const RunOptions& options) {
  Program own = program;
  Executions::get(options.execution).adapt(own);
  return own;
}

}  // namespace a3sim
