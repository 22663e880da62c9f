#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/operators/data.h"
#include "scheduler/ssc/ssc.h"
#include "sim/check/data_case.h"
#include "sim/check/tensors.h"
#include "sim/core/progress.h"
#include "sim/runtime/run.h"

namespace a3sim {

// Delay of each task's start, by rank and task. Empty: no delay.
using Delays = std::vector<std::vector<Duration>>;

// A simulated run of a schedule that carries real tensors. A task's inputs are read when it starts, its
// outputs appear when it ends. Memory that no task has written is NaN.
class CarriedRun final : private TaskHooks {
 public:
  // `given` holds the external tensors that tasks read; `sent` the rows that each rank sends (Data::sent).
  // The schedule must outlive the run. Throws InputError as RowLayout does, and if the schedule lacks a
  // given tensor.
  CarriedRun(const Schedule& schedule, const RoutingCounts& counts, std::vector<std::vector<SentRow>> sent,
             const Tensors& given);

  // May be called once. Replaces the hooks of `options`. Throws as run_schedule() does.
  RunResult run(const Hardware& hardware, const Program& program, const NetworkBackend& backend,
                RunOptions options, const Delays& delays);

  // Returns a tensor on all ranks. Throws InputError if the schedule has no tensor of this name.
  std::vector<TensorData> tensor(const std::string& name) const;
  const TensorInfo& info(const std::string& name) const;

 private:
  // Values that are on their way to consecutive elements of a tensor, from `first` on.
  struct Run {
    float* first;
    std::vector<float> values;
  };

  Duration delay(RankId rank, std::uint32_t task, Time at) override;
  void started(RankId rank, std::uint32_t task) override;
  void ended(RankId rank, std::uint32_t task) override;

  TensorId id_of(const std::string& name) const;
  std::span<float> elements(RankId rank, const Region& region);

  const Schedule& schedule_;
  const RoutingCounts& counts_;
  RowLayout layout_;
  Data data_;
  const Delays* delays_ = nullptr;
  Progress* progress_ = nullptr;                                            // of the run
  std::map<std::pair<RankId, std::uint32_t>, std::vector<Run>> in_flight_;  // one entry per task
};

// A compiled case with drawn inputs, the results that they should give, and those that they do give.
class DataCheck {
 public:
  struct Pass {
    std::string name;
    Oracle oracle;
    Schedule schedule;
    Tensors given, expected;
    std::vector<TensorComparison> outcome;  // without delays
    Duration makespan{};                    // without delays
  };

  // Compiles all passes, except those whose sound schedules are given by name, and runs each without
  // delays. A backward pass reads what the forward run kept. Throws as compiling and running do, and
  // InputError if a given schedule does not have the case's shape or tensors.
  DataCheck(DataCase data_case, std::uint64_t seed, std::map<std::string, Schedule> given = {});

  const DataCase& data_case() const { return case_; }
  std::span<const Pass> passes() const { return passes_; }

  // Runs a pass again with other delays or another schedule. Returns one comparison for each tensor with an
  // expected value, by name.
  std::vector<TensorComparison> run(const Pass& pass, const Schedule& schedule, const Delays& delays) const;

 private:
  Schedule schedule_of(const a3sim::Pass& pass, const RoutingCounts& capacity) const;
  void draw_inputs(Pass& pass, const Graph& graph);
  Duration carry(CarriedRun& run, const Delays& delays) const;
  std::vector<TensorComparison> compare_all(const Pass& pass, const CarriedRun& run) const;

  DataCase case_;
  std::uint64_t seed_;
  std::map<std::string, Schedule> schedules_;  // the given ones, by pass
  RoutingCounts counts_;
  std::vector<std::vector<SentRow>> sent_;
  Tensors known_;  // drawn, or kept from an earlier pass
  std::vector<Pass> passes_;
};

// True if all tensors are right.
bool right(std::span<const TensorComparison> outcome);

}  // namespace a3sim
