#include <algorithm>

#include "scheduler/verify/verify.h"
#include "sim/experiment/draws.h"
#include "sim/experiment/first_batch.h"
#include "sim/experiment/limited_hooks.h"
#include "sim/experiment/stream_bounds.h"
#include "sim/experiment/stream_check.h"

namespace a3sim {
namespace {

// Ends a run only at a task that the latency waits for.
class LatencyLimit final : public TaskHooks {
 public:
  LatencyLimit(const StreamPass& pass, TaskHooks& jitter, Duration limit)
      : pass_(pass), limited_(jitter, limit) {}
  double slowness(RankId rank, std::uint32_t task) override { return limited_.slowness(rank, task); }
  bool ends_run(RankId rank, std::uint32_t task, Time start) override {
    return pass_.counts(task) && limited_.ends_run(rank, task, start);
  }

 private:
  const StreamPass& pass_;
  LimitedHooks limited_;
};

class PreparedStreams final : public PreparedWork {
 public:
  explicit PreparedStreams(const Experiment& experiment) : first_(experiment) {}

  std::size_t passes() const override { return FirstBatch::pass_names().size(); }
  const std::string& pass_name(std::size_t pass) const override { return FirstBatch::pass_names()[pass]; }

  PassOutcome run(const Experiment& on, std::size_t pass, const Draw& draw, Duration limit) const override {
    const JitterOptions options = draw.options();
    const Experiment drawn = with_jitter(on, options, draw.run);
    StreamPass written = first_.write(drawn, pass);
    StreamJitter jitter(written.program, options, draw.run, static_cast<std::uint32_t>(pass));
    LatencyLimit hooks(written, jitter, limit);
    first_.run(written, drawn, &hooks);
    if (written.result.stopped) return {written.result.makespan, {}, true};
    return {written.latency(), written.ends_apart(), false};
  }

  Bounds bounds(const Experiment& on, std::size_t pass) const override {
    return stream_bounds(first_.write(on, pass), sustained(on.hardware), on.run.ranks);
  }

  bool same(const PreparedWork& other, std::size_t) const override { return this == &other; }

  // Returns the bytes of the weights and rows of a rank's products.
  Bytes footprint() const override {
    const MoeShape& shape = first_.experiment().shape;
    const double weights = 2.0 * 3 * shape.hidden * shape.intermediate * shape.experts_per_rank;
    const double row = 2.0 * (2.0 * shape.hidden + 3.0 * shape.intermediate);
    return {static_cast<std::int64_t>(weights + row * std::ranges::max(first_.plan().rows()))};
  }

 private:
  FirstBatch first_;
};

class Streams final : public ExperimentWork {
 public:
  explicit Streams(MicroBatchOptions options) : options_(std::move(options)) {}

  std::shared_ptr<const PreparedWork> prepare(const Experiment& experiment, unsigned) const override {
    return std::make_shared<PreparedStreams>(experiment);
  }

  void check(const Experiment& experiment, const FindingsVisitor& visit) const override {
    const FirstBatch first(experiment);
    for (std::size_t pass = 0; pass < FirstBatch::pass_names().size(); ++pass)
      visit(FirstBatch::pass_names()[pass], check_stream_pass(first.write(experiment, pass), first.batch()));
  }

  std::string execution(const Experiment&) const override { return std::string(kStreams); }
  std::string label(const Experiment&) const override { return options_.method; }

  std::string why_no_schedules() const override {
    return "experiment.execution is streams, which has no schedules: 'a3sim run FILE' runs a micro-batch, "
           "'a3sim run FILE --batches' all";
  }
  std::string why_no_programs() const override { return {}; }

  const MicroBatchOptions* micro_batches() const override { return &options_; }
  std::vector<MicroBatchResult> run_micro_batches(const Experiment& experiment,
                                                  const Batches& batches) const override;

 private:
  MicroBatchOptions options_;
};

std::vector<MicroBatchResult> Streams::run_micro_batches(const Experiment& experiment,
                                                         const Batches& batches) const {
  check_streams(experiment);
  const Hardware hardware = sustained(experiment.hardware);
  KernelCost cost(hardware, experiment.program, experiment.cut.tiling);
  LoadHistory history = history_before(batches);
  std::vector<MicroBatchResult> results;
  for (const RoutingCounts& counts : batches.counts) {
    const MicroBatch batch(counts, history);
    MicroBatchResult& result = results.emplace_back();
    const auto plan = plan_of(experiment, batch, cost);
    measure_forward(run_stream_pass(experiment, *plan, cost, true), result);
    result.backward = run_stream_pass(experiment, *plan, cost, false).latency();
    result.rows = plan->rows();
    result.token_straggler = above_mean(result.rows);
    history.add(batch.rows);
  }
  return results;
}

bool takes_streams(const Config& experiment) {
  return experiment.has("execution") && read_execution(experiment) == kStreams;
}

// Cuts kernels on streams as the host's kernels are cut.
std::shared_ptr<const ExperimentWork> read_streams(const Config& root, Experiment& experiment) {
  experiment.run.execution = "kernel";
  return std::make_shared<Streams>(read_micro_batch_options(root));
}

A3SIM_REGISTER(WorkType, "streams",
               "micro-batches of a MoE layer: kernels, copies and the host's work on streams",
               WorkType{takes_streams, read_streams});

}  // namespace
}  // namespace a3sim
