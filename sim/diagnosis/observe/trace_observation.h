#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/observation.h"
#include "traces/trace.h"

namespace a3sim {

// How far away the ends of a put are tells the plane that it goes over: by the time of its last byte and its signal on
// their way.
using PlaneOfHop = std::map<Duration, std::uint16_t>;

// The machine that a run was simulated on, where it is known beside the trace.
struct TracedMachine {
  ObservedMachine machine;
  PlaneOfHop planes;
};

// A run as one step that was recorded in full, of all ranks: its passes one after the other, all ranks meeting between
// them. Nothing is known of hosts, nor of other steps.
class TraceObservation : public Observation {
 public:
  // The passes must outlive it. Without a machine its roofs are what the trace says: arithmetic as the tasks had it,
  // and all ports together. Throws InputError where tasks do not fit each other.
  TraceObservation(std::span<const TracedPass> passes, const std::optional<TracedMachine>& machine);

  void each_step(const Step& take) const override { take(0, light_); }
  std::vector<std::uint32_t> full_steps() const override { return {0}; }
  FullStep full(std::uint32_t) const override { return full_; }
  std::vector<PathPart> critical_path(std::uint32_t step) const override;
  // Places are lines of the tables of tasks that `a3sim run --trace -o` writes; of a light record: in result.json.
  std::string place_of(const LightRecord& record) const override;
  std::string place_of(const OperatorRecord& record) const override;
  std::string place_of(const TransferRecord& record) const override;
  std::string place_of(const HostRecord& record) const override;

 private:
  // The line of the rank's first task for which `same` holds.
  template <class Same>
  std::string place_of_task(std::uint16_t pass, std::uint32_t rank, const Same& same) const;

  std::span<const TracedPass> traced_;
  std::vector<Duration> since_;  // by pass
  std::vector<LightRecord> light_;
  FullStep full_;
};

// A run's tasks as the records that are kept of a step, by the same definitions as those of a job that is watched
// (trace_records.cpp).
// Light records of a pass, by rank, with dates `since` later than the trace's. Rows, hosts and batches are no part of a
// trace.
std::vector<LightRecord> light_records(const Trace& trace, std::uint16_t pass, Duration since);

// Adds the operators and transfers of a pass, of all ranks. `names`: of operators, all that the trace has. Axes, rows
// and clocks are no part of a trace; of what an operator asked of the L2 a rank has its part of the operator's time.
void add_full_records(const Trace& trace, std::uint16_t pass, Duration since,
                      const std::vector<std::string>& names, const PlaneOfHop& planes, FullStep& full);

// The name of a pass's table of tasks, in the directory of a run.
std::string tasks_csv_name(const std::string& pass);

// The task that a line of that table is; none: no such line.
TaskAt task_at_line(const Trace& trace, std::size_t line);

}  // namespace a3sim
