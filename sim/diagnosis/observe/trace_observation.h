#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/observation.h"
#include "traces/trace.h"

namespace a3sim {

// Maps the flight time of a put's last byte and signal to the plane that it uses.
using PlaneOfHop = std::map<Duration, std::uint16_t>;

// The machine that a run was simulated on. The trace does not contain it.
struct TracedMachine {
  ObservedMachine machine;
  PlaneOfHop planes;
};

// Presents a run as one step that was recorded in full on all ranks: its passes one after another, with a
// barrier of all ranks between them. It knows nothing about hosts and other steps.
class TraceObservation : public Observation {
 public:
  // The passes must outlive it. Without a machine, roofs are derived from the trace: the highest rate of
  // arithmetic, and all ports together. Throws InputError if tasks contradict each other.
  TraceObservation(std::span<const TracedPass> passes, const std::optional<TracedMachine>& machine);

  void each_step(const Step& take) const override { take(0, light_); }
  std::vector<std::uint32_t> full_steps() const override { return {0}; }
  FullStep full(std::uint32_t) const override { return full_; }
  std::vector<PathPart> critical_path(std::uint32_t step) const override;
  // Places are lines of the task tables that `a3sim run --trace -o` writes; light records are placed in
  // result.json.
  RecordPlace place_of(const LightRecord& record) const override;
  RecordPlace place_of(const OperatorRecord& record) const override;
  RecordPlace place_of(const TransferRecord& record) const override;
  RecordPlace place_of(const HostRecord& record) const override;

 private:
  // Returns the line of the rank's first task for which `same` returns true.
  template <class Same>
  RecordPlace place_of_task(std::uint16_t pass, std::uint32_t rank, const Same& same) const;

  std::span<const TracedPass> traced_;
  std::vector<Duration> since_;  // one entry per pass
  std::vector<LightRecord> light_;
  FullStep full_;
};

// Returns the light records of a pass, by rank, as a watched job would record them (trace_records.cpp). Adds
// `since` to all times. A trace does not contain rows, hosts and batches.
std::vector<LightRecord> light_records(const Trace& trace, std::uint16_t pass, Duration since);

// Adds the operators and transfers of a pass on all ranks. `names` are all operators of the trace. A trace
// does not contain axes, rows and clocks. The L2 requests of an operator are divided among ranks in
// proportion to their parts of its time.
void add_full_records(const Trace& trace, std::uint16_t pass, Duration since,
                      const std::vector<std::string>& names, const PlaneOfHop& planes, FullStep& full);

// Returns the file name of a pass's task table in the directory of a run.
std::string tasks_csv_name(const std::string& pass);

}  // namespace a3sim
