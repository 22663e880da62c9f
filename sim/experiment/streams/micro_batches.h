#pragma once

#include <memory>
#include <vector>

#include "models/routing/routing.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/streams/micro_batch_options.h"
#include "sim/runtime/streams/stream_run.h"

namespace a3sim {

// The measures of one micro-batch.
struct MicroBatchResult {
  Duration forward{}, backward{};  // the slowest rank's, from the decided routing to summed outputs
  double token_straggler = 0;      // rows of the busiest rank above the mean
  double gemm_straggler = 0;       // the same in seconds, of the forward products
  double waste = 0;  // time between the mean and the slowest rank's own work, as a part of `forward`
  Duration dispatch{}, combine{};  // sums over all calls in forward
  std::vector<double> rows;        // rows that each rank computes
  std::uint64_t copied = 0;        // bytes that copy engines move in forward
};

// Returns how much the largest value exceeds the mean.
double above_mean(const std::vector<double>& values);

// A pass of one micro-batch: its program, the rows that its tasks work on, and its result.
struct StreamPass {
  StreamProgram program;
  std::vector<RowsByExpert> rows;
  StreamResult result;
  // Returns the time when the layer's outputs are summed. Later work, for the optimizer, is not waited for.
  Duration latency() const;
  // Returns the task that ends then.
  std::uint32_t last() const;
  // Returns the time from the first rank's last output to the last rank's.
  Duration ends_apart() const;
  // Returns whether the latency waits for the task.
  bool counts(std::uint32_t task) const;
};

// The routings of one seed's micro-batches, one after another. Those in `before` come first and only fill the
// history; there are none if routings come from a file.
struct Batches {
  std::vector<RoutingCounts> before, counts;
};
inline constexpr std::uint32_t kBatchesBefore = 20;
// Returns the loads that are known before the first micro-batch that counts.
LoadHistory history_before(const Batches& batches);
// Draws the routings. A routing that does not drift is the same every time. `seed` is added to the
// experiment's.
Batches draw_batches(const Experiment& experiment, std::uint32_t seed);

// Runs all micro-batches by the experiment's method. Thread-safe. Throws InputError if the experiment has no
// method.
std::vector<MicroBatchResult> run_micro_batches(const Experiment& experiment, const Batches& batches);

// Returns what the experiment's method decides for a micro-batch. `batch` must outlive the plan.
std::unique_ptr<ExpertPlan> plan_of(const Experiment& experiment, const MicroBatch& batch, KernelCost& cost);
// run_stream_pass() writes and runs one pass of it. write_stream_pass() only writes it: for ranks of another
// clock or HBM (the block 'ranks') with the times that kernels take there. run_again() runs a written pass,
// also after changes.
StreamPass run_stream_pass(const Experiment& experiment, const ExpertPlan& plan, KernelCost& cost,
                           bool forward);
StreamPass write_stream_pass(const Experiment& experiment, const ExpertPlan& plan, KernelCost& cost,
                             bool forward);
void run_again(StreamPass& pass, const Experiment& experiment, const KernelCost& cost,
               TaskHooks* hooks = nullptr);
// Fills in all measures of a micro-batch that the forward pass gives.
void measure_forward(const StreamPass& pass, MicroBatchResult& result);

// Throws InputError unless the experiment can run on streams.
void check_streams(const Experiment& experiment);
// Throws InputError if the machine has no copy engines, or the program has no host steps or no kernels that
// dispatch.
void check_copy_engines(const Experiment& experiment);

}  // namespace a3sim
