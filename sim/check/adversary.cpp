#include "sim/check/adversary.h"

#include "sim/core/rng.h"

namespace a3sim {
namespace {

template <class DelayOf>
Delays delays_of(const Schedule& schedule, DelayOf delay_of) {
  Delays delays(schedule.size());
  for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
    for (std::uint32_t task = 0; task < schedule[rank].tasks().size(); ++task)
      delays[rank].push_back(delay_of(TaskPlace{rank, task}));
  }
  return delays;
}

// Returns the tasks that count into the event that a task waits for.
std::vector<TaskPlace> awaited_by(const Schedule& schedule, TaskPlace waiting) {
  const std::uint32_t event = schedule[waiting.rank].tasks()[waiting.task].dependent_event;
  std::vector<TaskPlace> awaited;
  for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
    const std::span<const TaskDescriptor> tasks = schedule[rank].tasks();
    for (std::uint32_t task = 0; task < tasks.size(); ++task) {
      if (tasks[task].trigger_event == event && tasks[task].trigger_rank == waiting.rank)
        awaited.push_back({rank, task});
    }
  }
  return awaited;
}

}  // namespace

Delays drawn_delays(const Schedule& schedule, std::uint64_t seed, Duration most) {
  Rng rng(seed);
  return delays_of(schedule, [&](TaskPlace) {
    const bool late = rng.below(2) == 1;
    const double part = rng.uniform();
    return Duration(late ? static_cast<std::int64_t>(part * static_cast<double>(most.count())) : 0);
  });
}

Delays held_operator(const Schedule& schedule, OpId op, Duration by) {
  return delays_of(schedule, [&](TaskPlace at) {
    return OpId{schedule[at.rank].tasks()[at.task].op} == op ? by : Duration::zero();
  });
}

Delays held_task(const Schedule& schedule, TaskPlace place, Duration by) {
  return delays_of(schedule, [&](TaskPlace at) { return at == place ? by : Duration::zero(); });
}

Schedule without_wait(Schedule schedule, TaskPlace place) {
  Ssc& ssc = schedule[place.rank];
  std::vector<std::uint8_t> bytes(ssc.bytes().begin(), ssc.bytes().end());
  // Tasks are read in place, within the bytes.
  const auto* waits =
      reinterpret_cast<const std::uint8_t*>(&ssc.tasks()[place.task].dependent_event);  // NOLINT
  const std::ptrdiff_t at = waits - ssc.bytes().data();
  for (std::size_t i = 0; i < sizeof kNone; ++i)
    bytes[static_cast<std::size_t>(at) + i] = static_cast<std::uint8_t>(kNone >> 8 * i);
  ssc = Ssc::from_buffer(std::move(bytes), "a schedule with a wait removed");
  return schedule;
}

std::optional<Exposed> expose(const DataCheck& check, const DataCheck::Pass& pass, TaskPlace waiting) {
  const Schedule schedule = without_wait(pass.schedule, waiting);
  const Duration by = 4 * pass.makespan;  // everything else is over by then
  for (const TaskPlace late : awaited_by(pass.schedule, waiting)) {
    const Delays delays = held_task(schedule, late, by);
    std::vector<TensorComparison> outcome = check.run(pass, schedule, delays);
    if (!right(outcome)) return Exposed{late, by, std::move(outcome), check.run(pass, pass.schedule, delays)};
  }
  return std::nullopt;
}

}  // namespace a3sim
