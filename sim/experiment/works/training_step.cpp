#include "sim/experiment/step/training_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/config/model_shape_config.h"
#include "scheduler/verify/verify.h"
#include "sim/core/error.h"
#include "sim/experiment/config/ffn_form_config.h"
#include "sim/experiment/config/idle_blocks.h"
#include "sim/experiment/config/row_form_config.h"
#include "sim/experiment/config/workload.h"
#include "sim/experiment/run/draws.h"
#include "sim/experiment/run/limited_hooks.h"
#include "sim/experiment/step/preset_experts.h"
#include "sim/experiment/step/step_bounds.h"
#include "sim/experiment/step/step_estimate.h"
#include "sim/experiment/step/step_files.h"
#include "sim/experiment/step/step_limits.h"
#include "sim/experiment/step/step_metrics.h"
#include "sim/experiment/step/step_sections.h"
#include "sim/experiment/streams/stream_check.h"

namespace a3sim {
namespace {

struct StepDetails final : RunDetails {
  SimulatedStep step;
};

class PreparedTrainingStep final : public PreparedWork {
 public:
  explicit PreparedTrainingStep(const Experiment& experiment) : prepared_(prepare_step(experiment)) {}

  std::size_t passes() const override { return 1; }
  const std::string& pass_name(std::size_t) const override { return kName; }

  RunOutcome run(const Experiment& on, std::size_t pass, const Draw& draw, Duration limit,
                 Record record) const override {
    const JitterOptions options = draw.options();
    auto details = std::make_shared<StepDetails>();
    SimulatedStep& step = details->step;
    step.prepared = prepare_step(on);
    const Experiment drawn = with_jitter(on, options, draw.run);
    const StepProgram written = write_step({on, step.prepared.plan.step, step.prepared.layout,
                                            step.prepared.blocks, step.prepared.plan.model.hidden},
                                           step.prepared.orders);
    StreamJitter jitter(written.program, options, draw.run, static_cast<std::uint32_t>(pass));
    LimitedHooks limited(jitter, limit);
    step.run =
        run_step(drawn, step.prepared, limit < Duration::max() ? static_cast<TaskHooks*>(&limited) : &jitter);
    if (step.run.result.stopped || record == Record::kLatency) {
      RunOutcome outcome;
      outcome.name = kName;
      outcome.latency = step.run.result.makespan;
      outcome.stopped = step.run.result.stopped;
      return outcome;
    }
    return measured(on, std::move(details), record);
  }

  std::vector<RunOutcome> run_all(const Experiment& on, Record record, unsigned) const override {
    auto details = std::make_shared<StepDetails>();
    details->step.prepared = prepared_;
    details->step.run = run_step(on, prepared_);
    std::vector<RunOutcome> outcomes;
    outcomes.push_back(measured(on, std::move(details), record));
    return outcomes;
  }

  OwnSections sections(const Experiment& on, std::span<const RunOutcome> passes) const override {
    const SimulatedStep& step = dynamic_cast<const StepDetails&>(*passes.front().details).step;
    OwnSections own = step_sections(on, step);
    if (passes.front().trace) own.files = step_files(step);
    return own;
  }

  Bounds bounds(const Experiment& on, std::size_t) const override {
    const PreparedStep prepared = prepare_step(on);
    return step_bounds(
        on.hardware, prepared,
        write_step({on, prepared.plan.step, prepared.layout, prepared.blocks, prepared.plan.model.hidden},
                   prepared.orders));
  }

  bool same(const PreparedWork& other, std::size_t) const override { return this == &other; }

  // Returns the weights of the stage that has the most. No L2 holds them.
  Bytes footprint() const override {
    const auto fullest = std::ranges::max_element(prepared_.memory, {}, &StageMemory::total);
    return {static_cast<std::int64_t>(fullest->total())};
  }

 private:
  static RunOutcome measured(const Experiment& on, std::shared_ptr<StepDetails> details, Record record) {
    measure(on, details->step);
    RunOutcome outcome = step_outcome(on, details->step, record);
    outcome.details = std::move(details);
    return outcome;
  }

  inline static const std::string kName = "step";
  PreparedStep prepared_;
};

class TrainingStep final : public TrainingWork {
 public:
  explicit TrainingStep(TrainingPlan plan) : plan_(std::move(plan)) {}

  const TrainingPlan& plan() const override { return plan_; }

  std::shared_ptr<const PreparedWork> prepare(const Experiment& experiment, unsigned,
                                              CompileCache*) const override {
    return std::make_shared<PreparedTrainingStep>(experiment);
  }

  RunEstimate estimate(const Experiment& experiment, bool) const override {
    return estimate_of_step(experiment, plan_);
  }

  bool measured_by_pass() const override { return false; }
  bool tells_passes() const override { return false; }
  std::vector<std::string> sampled_metrics() const override { return step_metric_names(); }
  std::vector<SampledMetric> sample(const Experiment& experiment, std::uint32_t) const override {
    return step_samples(simulate_step(experiment).figures);
  }
  // A step runs a layer once for all layouts that give its experts the same group and tokens.
  bool shares_runs(std::string_view key) const override {
    constexpr std::string_view kLayer[] = {"step.sequence",    "step.micro_batch", "step.expert_capacity",
                                           "step.pad_experts", "parallel.ep",      "parallel.etp",
                                           "parallel.tp",      "parallel.cp"};
    if (std::ranges::find(kLayer, key) != std::end(kLayer)) return false;
    return key.starts_with("step.") || key.starts_with("parallel.");
  }

  // Checks the schedule itself, the program written from it, and the memory of dies.
  void check(const Experiment& experiment, const FindingsVisitor& visit) const override {
    const StageLayout layout = stage_layout(plan_.model.layers, plan_.step);
    const PipelineSchedule& schedule = PipelineSchedules::get(plan_.step.schedule);
    constexpr Duration kUnit{1};
    const StageOrders orders = schedule.orders(layout.shape);
    const ScheduleWalk walk = walk_schedule(schedule, layout.shape, orders, {kUnit, kUnit, kUnit, 3 * kUnit});
    if (!walk.wrong.empty()) {
      Findings findings;
      findings.errors.push_back(fmt::format("schedule {}: {}", plan_.step.schedule, walk.wrong));
      return visit("step", findings);
    }
    const PreparedStep prepared = prepare_step(experiment);
    Findings findings = check_program(
        write_step({experiment, plan_.step, layout, prepared.blocks, plan_.model.hidden}, orders).program,
        Peers::kStandTogether);
    std::size_t works = 0;
    for (const std::vector<StageWork>& stage : orders) works += stage.size();
    findings.notes.push_back(fmt::format(
        "{} passes of {} micro-batches through {} chunks run once each, forward before backward before "
        "weight gradients",
        works, layout.shape.micro_batches, layout.shape.chunks()));
    const auto fullest = std::ranges::max_element(prepared.memory, {}, &StageMemory::total);
    findings.notes.push_back(fmt::format("the fullest die, of stage {}, holds {:.1f} GiB of {:.1f}",
                                         fullest - prepared.memory.begin(), fullest->total() / kGibibyte,
                                         static_cast<double>(plan_.step.capacity.count) / kGibibyte));
    visit("step", findings);
  }

  std::string label(const Experiment&) const override { return plan_.step.schedule; }
  std::string why_no_schedules() const override {
    return "experiment.workload is training_step, whose layers are kernels on streams: 'a3sim run FILE' runs "
           "it; "
           "'--set experiment.workload=moe_ffn' takes the experts of one layer";
  }
  std::string why_no_steps() const override {
    return "experiment.workload is training_step, of which one rank stands for all ranks of a stage: what is "
           "wrong with a single rank or link would be wrong with all of them; run the steps of one layer "
           "instead, "
           "with experiment.workload moe_ffn";
  }

 private:
  TrainingPlan plan_;
};

bool takes_training_step(const Config& experiment) {
  return experiment.has("workload") && experiment.text("workload") == "training_step";
}

void check_divides(const Config& root, const TrainingPlan& plan) {
  const std::uint32_t tp = plan.step.tp, heads = plan.model.attention.heads;
  const Config parallel = root.map("parallel");
  if (plan.step.ulysses && heads > 0 && heads % (tp * plan.step.cp) != 0)
    root.map("step").error(
        "cp_exchange",
        fmt::format("{} heads on {} dies (parallel.tp times parallel.cp): expected a divisor, or ring", heads,
                    tp * plan.step.cp));
  if (heads > 0 && heads % tp != 0) {
    std::vector<std::uint32_t> fit;
    for (std::uint32_t d = 1; d <= heads; ++d)
      if (heads % d == 0) fit.push_back(d);
    parallel.error("tp",
                   fmt::format("{} heads on {} dies, expected one of: {}", heads, tp, fmt::join(fit, ", ")));
  }
  const std::uint32_t experts = plan.model.experts.count;
  if (experts == 0 && plan.step.ep > 1)
    parallel.error("ep",
                   fmt::format("{} ranks share experts, and the model has none: expected 1", plan.step.ep));
  if (experts == 0 && plan.step.etp > 1)
    parallel.error(
        "etp", fmt::format("{} dies share each expert, and the model has none: expected 1", plan.step.etp));
  if (experts == 0 && plan.step.expert_capacity > 0)
    root.map("step").error("expert_capacity", "limits rows of experts, and the model has none: expected 0");
  if (experts > 0 && experts % plan.step.ep != 0)
    parallel.error("ep", fmt::format("{} experts on {} ranks, expected a divisor", experts, plan.step.ep));
  if (plan.model.layers.empty() || root.map("model").is_wrong("layers")) return;
  try {
    static_cast<void>(stage_layout(plan.model.layers, plan.step));
  } catch (const InputError& error) {
    root.map("step").has("split") ? root.map("step").error("split", error.what())
                                  : parallel.error("pp", error.what());
  }
}

// Returns the sizes of the expert-parallel group.
Parallel group_of(const Config& config, const StepOptions& step) {
  constexpr std::int64_t kMost = 1 << 16;
  Parallel parallel;
  parallel.ep = step.ep;
  parallel.tp_stride = static_cast<std::uint32_t>(config.integer("tp_stride", 1, kMost, step.etp));
  if (parallel.tp_stride % step.etp != 0)
    config.error(
        "tp_stride",
        fmt::format("ranks {} dies apart, and {} dies (parallel.etp) make one: expected a multiple of it",
                    parallel.tp_stride, step.etp));
  parallel.nodes = static_cast<std::uint32_t>(config.integer("nodes", 1, kMost, 1));
  config.finish();
  return parallel;
}

std::shared_ptr<const ExperimentWork> read_training_step(const Config& root, Experiment& experiment) {
  experiment.run = read_run_options(root.map("experiment"), experiment.hardware.workers);
  TrainingPlan plan;
  plan.step = read_step_options(root, experiment.hardware);
  experiment.parallel = group_of(root.map("parallel"), plan.step);
  plan.model = read_model_shape(root.map("model"), experiment.parallel);
  if (element_bits(plan.model.dtype) <= 8)
    root.map("model").error("dtype",
                            "a step computes gradients, which 8 bits do not hold: expected bf16 or fp16; "
                            "step.fp8 computes the products of layers in 8");
  else if (plan.step.fp8 != Fp8Recipe::kNone && element_bits(plan.model.dtype) != 16)
    root.map("model").error("dtype", "products in 8 bits (step.fp8) stand between 16: expected bf16 or fp16");
  check_divides(root, plan);
  root.throw_if_any();
  if (const std::string why = over_program_memory(plan); !why.empty())
    root.map("step").error("global_batch", why);
  root.throw_if_any();
  if (!plan.step.over_capacity)
    if (const std::string why = over_capacity(plan); !why.empty()) root.map("step").error("capacity", why);
  read_preset_experts(root, plan);
  root.throw_if_any();
  return std::make_shared<TrainingStep>(std::move(plan));
}

// Lets keys stand that only runs of experts have.
void let_experts_stand(const Config& root) {
  let_schedules_stand(root);
  for (const char* key : {"execution", "communication", "launch", "batches"})
    root.map("experiment").let_stand(key);
  root.map("routing").let_stand("kind");
  for (const char* key :
       {"draws", "exchange", "exchange_stretch", "expert_capacity", "pad_experts", "weights_beside"})
    root.map("step").let_stand(key);
}

// Reads the experts of one layer, as the expert-parallel group holds them; for a dense model, one rank
// without experts.
void read_training_workload(const Config& root, const Config& block, Experiment& experiment) {
  // Included files may set options that only apply to a run of one layer.
  for (const char* key : {"pass", "window", "weight_gradients"}) block.let_stand(key);
  if (block.has("pass") && block.text("pass") == "forward")
    block.error("pass",
                "a step has both passes: expected both; a preset that has the forward pass alone stands in "
                "step.experts, and another one in step.experts_backward");
  const TrainingPlan& plan = training_plan_of(experiment);
  const auto& experts = plan.model.experts;
  if (experts.count == 0) let_experts_stand(root);
  if (plan.step.cp == 1) root.map("step").let_stand("cp_exchange");
  experiment.shape = {static_cast<std::uint32_t>(plan.step.block_layout().own_tokens()),
                      plan.model.expert_hidden(),
                      experts.intermediate,
                      experts.top_k,
                      experts.count / plan.step.ep,
                      plan.step.ep,
                      plan.model.dtype};
  experiment.ffn = read_ffn_form(root, block, experiment, experiment.shape.tokens);
  static_cast<void>(read_row_form(block, experiment));  // of the runs of a layer, which read it again
  experiment.not_modelled = plan.step.not_modelled;
  experiment.routing = read_routing(root.map("routing"));
  experiment.latency_definition = "one training step";
}

A3SIM_REGISTER(WorkType, "training_step", "a training step of a whole model",
               WorkType{takes_training_step, read_training_step});
A3SIM_REGISTER(Workload, "training_step", "a training step: all layers, micro-batches, stages, the optimizer",
               Workload{read_training_workload});

}  // namespace
}  // namespace a3sim
