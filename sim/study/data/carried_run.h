#pragma once

#include <map>
#include <utility>
#include <vector>

#include "models/operators/data.h"
#include "scheduler/ssc.h"
#include "sim/runtime/run.h"
#include "sim/study/data/tensors.h"

namespace a3sim {

// How much later than it could each task starts, by rank and task; empty: not at all.
using Delays = std::vector<std::vector<Duration>>;

// A simulated run of a schedule that carries real tensors: a task's inputs are read when it starts, and what
// it writes appears when it ends. Memory that nothing has written yet is NaN.
class CarriedRun final : private TaskHooks {
 public:
  // `given` holds the external tensors that tasks read; `sent` the rows that each rank sends (Data::sent).
  // The schedule must outlive the run. Throws InputError as RowLayout does.
  CarriedRun(const Schedule& schedule, const RoutingCounts& counts, std::vector<std::vector<SentRow>> sent,
             const Tensors& given);

  // Once; the options' hooks are its own. Throws as run_schedule() does.
  RunResult run(const Hardware& hardware, const NetworkBackend& backend, RunOptions options,
                const Delays& delays);

  // A tensor of all ranks. The schedule has one of this name.
  std::vector<TensorData> tensor(const std::string& name) const;

 private:
  // Values on their way to consecutive elements of a tensor.
  struct Run {
    RankId rank;
    TensorId tensor;
    std::size_t first;
    std::vector<float> values;
  };

  Duration delay(RankId rank, std::uint32_t task, Time at) override;
  void started(RankId rank, std::uint32_t task) override;
  void ended(RankId rank, std::uint32_t task) override;

  TensorId id_of(const std::string& name) const;
  std::pair<std::size_t, std::size_t> elements(RankId rank, const Region& region) const;

  const Schedule& schedule_;
  const RoutingCounts& counts_;
  RowLayout layout_;
  Data data_;
  const Delays* delays_ = nullptr;
  std::map<std::pair<RankId, std::uint32_t>, std::vector<Run>> in_flight_;  // by task
};

}  // namespace a3sim
