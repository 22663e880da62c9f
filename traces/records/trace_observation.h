#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/observation.h"
#include "traces/records/trace_records.h"
#include "traces/trace.h"

namespace a3sim {

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

  const ObservedMachine& machine() const override { return machine_; }
  const std::vector<std::string>& names() const override { return names_; }
  const std::vector<std::string>& passes() const override { return pass_names_; }
  std::vector<std::vector<std::uint32_t>> groups() const override;
  std::uint32_t ranks() const override { return static_cast<std::uint32_t>(nodes_.size()); }
  const std::vector<std::uint32_t>& nodes() const override { return nodes_; }
  void each_step(const Step& take) const override { take(0, light_); }
  std::vector<LightRecord> reference() const override { return {}; }
  FullStep reference_full() const override { return {}; }
  std::vector<std::uint32_t> full_steps() const override { return {0}; }
  FullStep full(std::uint32_t) const override { return full_; }
  std::vector<PathPart> critical_path(std::uint32_t step) const override;
  const std::vector<Missing>& missing() const override { return missing_; }
  bool simulated() const override { return true; }
  // Places are lines of the tables of tasks that `a3sim run --trace -o` writes; of a light record: in result.json.
  std::string place_of(const LightRecord& record) const override;
  std::string place_of(const OperatorRecord& record) const override;
  std::string place_of(const TransferRecord& record) const override;
  std::string place_of(const HostRecord& record) const override;

 private:
  std::string place_of(std::uint16_t pass, TaskAt task) const;

  std::span<const TracedPass> traced_;
  std::vector<Duration> since_;  // by pass
  ObservedMachine machine_;
  std::vector<std::string> names_, pass_names_;
  std::vector<std::uint32_t> nodes_;
  std::vector<LightRecord> light_;
  FullStep full_;
  std::vector<Missing> missing_;
};

// The name of a pass's table of tasks, in the directory of a run.
std::string tasks_csv_name(const std::string& pass);

// The task that a line of that table is; none: no such line.
TaskAt task_at_line(const Trace& trace, std::size_t line);

}  // namespace a3sim
