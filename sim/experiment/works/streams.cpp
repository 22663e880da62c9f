#include <fmt/format.h>

#include <algorithm>

#include "models/config/model_shape_config.h"
#include "scheduler/verify/verify.h"
#include "sim/core/error.h"
#include "sim/experiment/config/idle_blocks.h"
#include "sim/experiment/outcome/stream_trace.h"
#include "sim/experiment/run/draws.h"
#include "sim/experiment/run/limited_hooks.h"
#include "sim/experiment/run/own_values.h"
#include "sim/experiment/run/serial_roofline.h"
#include "sim/experiment/streams/batch_metrics.h"
#include "sim/experiment/streams/first_batch.h"
#include "sim/experiment/streams/stream_bounds.h"
#include "sim/experiment/streams/stream_check.h"

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
  PreparedStreams(const Experiment& experiment, const Batches* batches) : first_(experiment, batches) {}

  std::size_t passes() const override { return FirstBatch::pass_names().size(); }
  const std::string& pass_name(std::size_t pass) const override { return FirstBatch::pass_names()[pass]; }

  RunOutcome run(const Experiment& on, std::size_t pass, const Draw& draw, Duration limit,
                 Record record) const override {
    const JitterOptions options = draw.options();
    const Experiment drawn = with_jitter(on, options, draw.run);
    StreamPass written = first_.write(drawn, pass);
    StreamJitter jitter(written.program, options, draw.run, static_cast<std::uint32_t>(pass));
    LatencyLimit hooks(written, jitter, limit);
    first_.run(written, drawn, &hooks);
    RunOutcome outcome;
    outcome.name = pass_name(pass);
    outcome.stopped = written.result.stopped;
    outcome.latency = outcome.stopped ? written.result.makespan : written.latency();
    if (outcome.stopped) return outcome;
    outcome.ends_apart = written.ends_apart();
    if (record == Record::kLatency) return outcome;
    outcome = outcome_of(drawn, pass_name(pass), written, record);
    outcome.bounds = bounds(on, pass);
    return outcome;
  }

  OwnSections sections(const Experiment& on, std::span<const RunOutcome>) const override {
    const MoeShape& s = on.shape;
    const std::string& method = on.work->micro_batches()->method;
    OwnSections own;
    own.head = fmt::format(
        "MoE-FFN   EP{}, {} tokens per rank, hidden {}, intermediate {}, top-{} of {} experts, {}\n"
        "machine   {}\nstreams   method {}, the first micro-batch of the first seed; 'a3sim "
        "run --batches' runs them all\n",
        s.ep, s.tokens, s.hidden, s.intermediate, s.top_k, s.experts(), name_of(s.dtype), on.hardware.name,
        method);
    own.head += own_values(on);
    own.before.fact("method", method);
    return own;
  }

  std::optional<Duration> by_hand(const Experiment& on, std::size_t pass, double part_of_peak,
                                  std::string_view op) const override {
    const StreamPass written = first_.write(on, pass);
    const auto counts = [&](std::uint32_t task) {
      return op.empty() ? written.counts(task) : written.program.tasks[task].name == op;
    };
    return serial_roofline(written.program, sustained(on.hardware), on.program, dies_of(on.run.ranks),
                           part_of_peak, counts)
        .total();
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
  // Without batches, they are drawn.
  explicit Streams(MicroBatchOptions options, std::shared_ptr<const Batches> batches = nullptr)
      : options_(std::move(options)), batches_(std::move(batches)) {}

  std::shared_ptr<const PreparedWork> prepare(const Experiment& experiment, unsigned,
                                              CompileCache*) const override {
    return std::make_shared<PreparedStreams>(experiment, batches_.get());
  }

  void check(const Experiment& experiment, const FindingsVisitor& visit) const override {
    const FirstBatch first(experiment, batches_.get());
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
  bool measured_by_pass() const override { return false; }
  std::vector<std::string> sampled_metrics() const override { return batch_metric_names(); }
  std::uint32_t seeds() const override { return options_.seeds; }
  std::vector<SampledMetric> sample(const Experiment& experiment, std::uint32_t seed) const override {
    return batch_samples(run_micro_batches(experiment, draw_batches(experiment, seed)));
  }

 private:
  MicroBatchOptions options_;
  std::shared_ptr<const Batches> batches_;
};

bool takes_streams(const Config& experiment) {
  return experiment.has("method") || (experiment.has("execution") && read_execution(experiment) == kStreams);
}

// Refuses to run a layer's micro-batches under the name of another workload.
void refuse_other_workloads(const Config& block) {
  constexpr const char* kLayer = "moe_ffn";
  if (block.text("workload", kLayer) == kLayer) return;
  const char* const asked = block.has("method") ? "method" : "execution";
  throw InputError(
      fmt::format("{}: {}: only micro-batches of a MoE layer run on streams, expected experiment.workload {}",
                  block.mark(asked).text(), block.path(asked), kLayer));
}

// Cuts kernels on streams as the host's kernels are cut.
std::shared_ptr<const ExperimentWork> read_streams(const Config& root, Experiment& experiment) {
  const Config block = root.map("experiment");
  refuse_other_workloads(block);
  if (!block.has("execution") || read_execution(block) != kStreams)
    block.error(
        block.has("execution") ? "execution" : "method",
        "experiment.method shares out micro-batches on streams: expected experiment.execution streams");
  refuse_ungated(root.map("model"), "micro-batches on streams");
  experiment.run.execution = "kernel";
  let_schedules_stand(root);
  return std::make_shared<Streams>(read_micro_batch_options(root));
}

A3SIM_REGISTER(WorkType, "streams",
               "micro-batches of a MoE layer: kernels, copies and the host's work on streams",
               WorkType{takes_streams, read_streams});

}  // namespace

std::shared_ptr<const ExperimentWork> streams_on(const Experiment& experiment, Batches batches) {
  return std::make_shared<Streams>(*experiment.work->micro_batches(),
                                   std::make_shared<const Batches>(std::move(batches)));
}

}  // namespace a3sim
