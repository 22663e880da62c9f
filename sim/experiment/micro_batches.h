#pragma once

#include <memory>
#include <vector>

#include "models/routing/routing.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/micro_batch_options.h"
#include "sim/runtime/streams/stream_run.h"

namespace a3sim {

// What one micro-batch came to.
struct MicroBatchResult {
  Duration forward{}, backward{};  // from the decided routing to summed outputs, the slowest rank's
  double token_straggler = 0;      // rows of the busiest rank above the mean
  double gemm_straggler = 0;       // seconds: likewise, of the products of forward
  double waste = 0;                // part of forward between the mean and the slowest rank's own work
  Duration dispatch{}, combine{};  // of forward: all calls
  std::vector<double> rows;        // by rank, as computed
  std::uint64_t copied = 0;        // bytes by copy engines in forward
  bool replayed = false;           // by a schedule, which has no calls and no groups of products: times are 0
};

// The largest of some values above their mean.
double above_mean(const std::vector<double>& values);

// A pass of one micro-batch: its program, the rows that its tasks work on, and how it went.
struct StreamPass {
  StreamProgram program;
  std::vector<RowsByExpert> rows;
  StreamResult result;
  // When the layer's outputs are summed: what goes on behind, for the optimizer, is not waited for.
  Duration latency() const;
  // The task whose end that is.
  std::uint32_t last() const;
  // From the first rank's last output to the last rank's.
  Duration ends_apart() const;
  // Whether the latency waits for the task.
  bool counts(std::uint32_t task) const;
};

// Routings of one seed's micro-batches, one after the other; `before` of them come first, which only fill the
// history (none where they come from a file).
struct Batches {
  std::vector<RoutingCounts> before, counts;
};
inline constexpr std::uint32_t kBatchesBefore = 20;
// What is known before the first micro-batch that counts.
LoadHistory history_before(const Batches& batches);
// Draws them; a routing that does not drift is the same every time. `seed` is added to the experiment's.
Batches draw_batches(const Experiment& experiment, std::uint32_t seed);

// Runs them all by the experiment's method. Safe for many threads at once. Throws InputError where it has none.
std::vector<MicroBatchResult> run_micro_batches(const Experiment& experiment, const Batches& batches);

// What the experiment's method decides for a micro-batch, which outlives it.
std::unique_ptr<ExpertPlan> plan_of(const Experiment& experiment, const MicroBatch& batch, KernelCost& cost);
// One pass of it, written and run; or written only, and run again after changes.
StreamPass run_stream_pass(const Experiment& experiment, const ExpertPlan& plan, KernelCost& cost,
                           bool forward);
StreamPass write_stream_pass(const Experiment& experiment, const ExpertPlan& plan, KernelCost& cost,
                             bool forward);
void run_again(StreamPass& pass, const Experiment& experiment, const KernelCost& cost,
               TaskHooks* hooks = nullptr);
// What it was like: all that is told of a micro-batch but the backward pass's latency.
void measure_forward(const StreamPass& pass, MicroBatchResult& result);

// Throws InputError where the experiment cannot run on streams.
void check_streams(const Experiment& experiment);
// Throws InputError where the machine has no copy engines, or the program no steps of the host and no kernels that dispatch.
void check_copy_engines(const Experiment& experiment);

}  // namespace a3sim
