#include <fmt/format.h>

#include "models/config/model_shape_config.h"
#include "sim/experiment/config/mega_moe_config.h"
#include "sim/experiment/config/workload.h"
#include "sim/experiment/inference/inference_estimate.h"
#include "sim/experiment/inference/inference_sections.h"
#include "sim/experiment/outcome/stream_trace.h"
#include "sim/experiment/run/draws.h"
#include "sim/experiment/run/limited_hooks.h"
#include "sim/experiment/streams/stream_bounds.h"
#include "sim/experiment/streams/stream_check.h"

namespace a3sim {
namespace {

struct InferenceDetails final : RunDetails {
  PreparedInference prepared;
  InferenceFigures figures;
};

class PreparedInferenceStep final : public PreparedWork {
 public:
  explicit PreparedInferenceStep(const Experiment& experiment) : prepared_(prepare_inference(experiment)) {}

  std::size_t passes() const override { return 1; }
  const std::string& pass_name(std::size_t) const override { return kName; }

  RunOutcome run(const Experiment& on, std::size_t pass, const Draw& draw, Duration limit,
                 Record record) const override {
    const JitterOptions options = draw.options();
    const Experiment drawn = with_jitter(on, options, draw.run);
    auto details = std::make_shared<InferenceDetails>();
    details->prepared = prepare_inference(drawn);
    StreamJitter jitter(details->prepared.written.program, options, draw.run,
                        static_cast<std::uint32_t>(pass));
    LimitedHooks limited(jitter, limit);
    const StreamPass ran = run_inference(
        drawn, details->prepared, limit < Duration::max() ? static_cast<TaskHooks*>(&limited) : &jitter);
    if (ran.result.stopped || record == Record::kLatency) {
      RunOutcome outcome;
      outcome.name = kName;
      outcome.latency = ran.result.makespan;
      outcome.stopped = ran.result.stopped;
      return outcome;
    }
    return measured(on, std::move(details), ran, record);
  }

  std::vector<RunOutcome> run_all(const Experiment& on, Record record, unsigned) const override {
    auto details = std::make_shared<InferenceDetails>();
    details->prepared = prepared_;
    std::vector<RunOutcome> outcomes;
    outcomes.push_back(measured(on, details, run_inference(on, prepared_), record));
    return outcomes;
  }

  OwnSections sections(const Experiment& on, std::span<const RunOutcome> passes) const override {
    const auto& details = dynamic_cast<const InferenceDetails&>(*passes.front().details);
    return inference_sections(on, details.prepared, details.figures);
  }

  std::optional<Duration> by_hand(const Experiment& on, std::size_t, double part_of_peak,
                                  std::string_view op) const override {
    return inference_by_hand(on, prepared_, part_of_peak, op);
  }

  Bounds bounds(const Experiment& on, std::size_t) const override {
    return bounds_of(on, prepare_inference(on));
  }

  bool same(const PreparedWork& other, std::size_t) const override { return this == &other; }

  // No L2 holds the weights.
  Bytes footprint() const override { return {static_cast<std::int64_t>(prepared_.memory.weights())}; }

 private:
  static Bounds bounds_of(const Experiment& on, const PreparedInference& prepared) {
    StreamPass unrun;
    unrun.program = prepared.written.program;
    std::vector<RankOptions> ranks(unrun.program.ranks);
    for (std::size_t r = 0; r < ranks.size(); ++r) ranks[r].die = prepared.written.dies[r];
    return stream_bounds(unrun, sustained(on.hardware), ranks);
  }
  static RunOutcome measured(const Experiment& on, std::shared_ptr<InferenceDetails> details,
                             const StreamPass& ran, Record record) {
    details->figures = figures_of(on, details->prepared, ran);
    RunOutcome outcome = outcome_of(on, kName, ran, record);
    outcome.latency = ran.result.makespan;
    if (record != Record::kLatency) outcome.bounds = bounds_of(on, details->prepared);
    outcome.details = std::move(details);
    return outcome;
  }

  inline static const std::string kName = "step";
  PreparedInference prepared_;
};

class InferenceStep final : public InferenceWork {
 public:
  explicit InferenceStep(InferencePlan plan) : plan_(std::move(plan)) {}

  const InferencePlan& plan() const override { return plan_; }

  std::shared_ptr<const PreparedWork> prepare(const Experiment& experiment, unsigned,
                                              CompileCache*) const override {
    return std::make_shared<PreparedInferenceStep>(experiment);
  }
  RunEstimate estimate(const Experiment& experiment, bool) const override {
    return estimate_of_inference(experiment, plan_);
  }
  bool tells_passes() const override { return false; }
  std::vector<std::string> sampled_metrics() const override { return inference_metric_names(); }
  std::vector<SampledMetric> sample(const Experiment& experiment, std::uint32_t) const override {
    const PreparedInference prepared = prepare_inference(experiment);
    return inference_samples(prepared, figures_of(experiment, prepared, run_inference(experiment, prepared)));
  }
  void check(const Experiment& experiment, const FindingsVisitor& visit) const override {
    const PreparedInference prepared = prepare_inference(experiment);
    Findings findings = check_program(prepared.written.program, Peers::kStandTogether);
    findings.notes.push_back(fmt::format("a die holds {:.1f} GiB of {:.1f}",
                                         prepared.memory.total() * 0x1p-30,
                                         static_cast<double>(plan_.options.capacity.count) * 0x1p-30));
    visit("step", findings);
  }
  std::string execution(const Experiment&) const override { return "streams"; }
  std::string label(const Experiment&) const override { return std::string(name_of(plan_.options.phase)); }
  std::string why_no_schedules() const override {
    return "experiment.workload is inference_step, whose layers are kernels on streams: 'a3sim run FILE' "
           "runs it; "
           "'--set experiment.workload=library_ep' takes the exchanges of one layer";
  }
  std::string why_no_steps() const override {
    return "experiment.workload is inference_step, of which one die stands for all: what is wrong with a "
           "single one "
           "would be wrong with all of them; run the steps of one layer instead, with experiment.workload "
           "moe_ffn";
  }

 private:
  InferencePlan plan_;
};

bool takes_inference(const Config& experiment) {
  return experiment.has("workload") && experiment.text("workload") == "inference_step";
}

std::shared_ptr<const ExperimentWork> read_inference(const Config& root, Experiment& experiment) {
  experiment.run = read_run_options(root.map("experiment"), experiment.hardware.workers);
  InferencePlan plan;
  plan.options = read_inference_options(root, experiment.hardware);
  constexpr std::int64_t kMostDies = 1 << 16;
  const Config parallel = root.map("parallel");
  experiment.parallel.ep = plan.options.ep;
  experiment.parallel.tp_stride = static_cast<std::uint32_t>(parallel.integer("tp_stride", 1, kMostDies, 1));
  experiment.parallel.nodes = static_cast<std::uint32_t>(parallel.integer("nodes", 1, kMostDies, 1));
  parallel.finish();
  plan.model = read_model_shape(root.map("model"), experiment.parallel);
  root.throw_if_any();
  check_inference(root, plan);
  root.throw_if_any();
  if (!plan.options.over_capacity)
    if (const std::string why = over_inference_capacity(plan); !why.empty())
      root.map("inference").error("capacity", why);
  root.throw_if_any();
  return std::make_shared<InferenceStep>(std::move(plan));
}

// Reads the experts of one layer, as their dies hold them and a micro-batch meets them.
void read_inference_workload(const Config& root, const Config& block, Experiment& experiment) {
  for (const char* key : {"pass", "window", "weight_gradients", "launch"}) block.let_stand(key);
  for (const char* key : {"partitions", "shares", "sources"}) root.map("cut").let_stand(key);
  const InferencePlan& plan = inference_plan_of(experiment);
  const Config inference = root.map("inference");
  if (plan.options.idle == 0) inference.let_stand("padded");
  if (plan.options.micro_batches < 2) inference.let_stand("interference");
  if (!plan.options.index) inference.let_stand("index_cache");
  if (plan.options.launched == LaunchedBy::kGraph) inference.map("launch").let_stand("host");
  if (plan.options.experts_by == ExpertKernels::kSeparate)
    for (const char* key :
         {"base_m", "base_n", "base_k", "step_k", "l1_buffers", "l0_buffers", "order", "unit_flag", "blocks"})
      root.map("tiling").let_stand(key);
  const auto& experts = plan.model.experts;
  const InferenceOptions& options = plan.options;
  const std::uint64_t own = options.own_tokens();
  const std::uint64_t tokens =
      (own * std::max(options.attention(), options.ep) + options.ep - 1) / options.ep;
  experiment.shape = {static_cast<std::uint32_t>(tokens),
                      plan.model.hidden,
                      experts.intermediate,
                      experts.top_k,
                      (experts.count + options.redundant) / options.ep,
                      options.ep,
                      DataType::kBf16};
  experiment.routing = read_routing(root.map("routing"));
  if (options.experts_by == ExpertKernels::kMegaMoe)
    static_cast<void>(read_mega_moe_options(root.map("mega_moe"), experiment.shape, experiment.workers));
  experiment.latency_definition = "one step of inference";
}

A3SIM_REGISTER(WorkType, "inference_step", "a step of decode, or a prefill, of a whole model",
               WorkType{takes_inference, read_inference});
A3SIM_REGISTER(Workload, "inference_step", "a step of decode, or a prefill, of a whole model",
               Workload{read_inference_workload});

}  // namespace
}  // namespace a3sim
