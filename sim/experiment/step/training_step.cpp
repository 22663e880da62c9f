#include "sim/experiment/step/training_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/experiment/run/interruption.h"
#include "sim/experiment/step/step_limits.h"

namespace a3sim {
namespace {

// Returns what would make the step smaller, according to what is largest.
std::string what_fits(const StepOptions& step, const StageMemory& fullest) {
  const double weights = fullest.weights + fullest.gradients + fullest.states;
  if (fullest.activations > weights) {
    if (!step.recompute_all && step.recompute.empty())
      return "step.recompute=[all], or a smaller step.micro_batch, keeps less";
    return step.micro_batch > 1 ? "a smaller step.micro_batch keeps less"
                                : "a larger parallel.tp or parallel.cp keeps less";
  }
  if (!step.spreads_states()) return "step.optimizer.sharded=true spreads the optimizer's states";
  if (step.replicas > 1) return "a smaller step.replicas spreads what each group holds over more dies";
  if (!step.optimizer.swapped && fullest.states > fullest.weights)
    return "a larger parallel.dp, parallel.pp or parallel.tp spreads states, step.optimizer.swapped=true "
           "keeps them in "
           "the host's memory";
  return step.fsdp ? "more dies (parallel.dp, parallel.pp, parallel.tp) hold less each"
                   : "a larger parallel.pp, parallel.tp or parallel.ep, or step.fsdp=true, spreads weights";
}

// Adds one of `parts` accounts to their mean.
void add_part(const ExchangeAccount& more, std::uint32_t parts, ExchangeAccount& mean) {
  mean.total += more.total / parts;
  mean.exposed += more.exposed / parts;
  mean.beside += more.beside / parts;
  for (std::size_t c = 0; c < mean.hidden_by.size(); ++c) mean.hidden_by[c] += more.hidden_by[c] / parts;
}

// A step lies on more dies than its expert-parallel group, from die 0 on.
void check_hosts(const Experiment& experiment, const StepOptions& step) {
  for (const CablePlane& plane : experiment.run.cables) {
    if (step.dies() <= plane.layout->hosts()) continue;
    throw InputError(
        fmt::format("{}: network.topology.{}: {} hosts, and the step lies on {} dies (parallel.tp, pp, cp, "
                    "dp): more hosts, or "
                    "fewer dies",
                    experiment.name, experiment.hardware.fabric.planes[plane.plane].name,
                    plane.layout->hosts(), step.dies()));
  }
}

}  // namespace

std::string over_capacity(const TrainingPlan& plan) {
  const StageLayout layout = stage_layout(plan.model.layers, plan.step);
  const StageOrders orders = PipelineSchedules::get(plan.step.schedule).orders(layout.shape);
  std::vector<BlockTimes> sizes;
  for (const StageLayout::Kind& kind : layout.kinds)
    sizes.push_back(block_sizes(plan.step, plan.model, kind));
  const std::vector<StageMemory> memory = foreseen_memory(plan.step, layout, sizes, orders);
  const auto fullest = std::ranges::max_element(memory, {}, &StageMemory::total);
  const double capacity = static_cast<double>(plan.step.capacity.count);
  if (fullest->total() <= capacity) return "";
  return fmt::format(
      "a die of stage {} needs {:.1f} GiB and has {:.1f}: weights {:.1f}, gradients {:.1f}, states {:.1f}, "
      "activations {:.1f}, other {:.1f}; {}; step.over_capacity=true runs it all the same",
      fullest - memory.begin(), fullest->total() / kGibibyte, capacity / kGibibyte,
      fullest->weights / kGibibyte, fullest->gradients / kGibibyte, fullest->states / kGibibyte,
      fullest->activations / kGibibyte, (fullest->gathered + fullest->again) / kGibibyte,
      what_fits(plan.step, *fullest));
}

PreparedStep prepare_step(const Experiment& experiment) {
  PreparedStep prepared;
  prepared.plan = training_plan_of(experiment);
  const StepOptions& step = prepared.plan.step;
  check_hosts(experiment, step);
  prepared.layout = stage_layout(prepared.plan.model.layers, step);
  prepared.orders = PipelineSchedules::get(step.schedule).orders(prepared.layout.shape);
  try {
    for (const StageLayout::Kind& kind : prepared.layout.kinds)
      prepared.blocks.push_back(block_times(experiment, step, prepared.plan.model, kind));
  } catch (const RunError&) {
    rethrow_at_size(experiment, prepared.plan);
  }
  prepared.memory = foreseen_memory(step, prepared.layout, prepared.blocks, prepared.orders);
  return prepared;
}

const std::vector<ExpertTimes>* experts_of(const PreparedStep& prepared) {
  for (const BlockTimes& block : prepared.blocks)
    if (!block.experts.empty()) return &block.experts;
  return nullptr;
}

StepRun run_step(const Experiment& experiment, const PreparedStep& prepared, TaskHooks* hooks) {
  check_interruption();
  StepRun run;
  run.written = write_step(
      {experiment, prepared.plan.step, prepared.layout, prepared.blocks, prepared.plan.model.hidden},
      prepared.orders);
  Progress progress("tasks", run.written.tasks.size());
  InterruptibleHooks interruptible(hooks, progress);
  // Stages meet only where one sends to the next, and on cables.
  const char* const backend = run.written.cables.cables.empty() ? "islands" : "native";
  try {
    run.result = run_streams(run.written.program, sustained(experiment.hardware), run.written.dies,
                             Registry<NetworkBackend>::get(backend),
                             {.hooks = interruptible.hooks(), .shared = &run.written.cables});
  } catch (const RunError&) {
    rethrow_at_size(experiment, prepared.plan);
  }
  return run;
}

StepFigures figures_of(const Experiment& experiment, const PreparedStep& prepared, const StepRun& run,
                       const std::vector<StageAccount>& accounts) {
  const StepOptions& step = prepared.plan.step;
  StepFigures figures;
  figures.time = run.result.makespan;
  const double time = seconds(figures.time), dies = step.dies(), stages = step.pp;
  figures.tokens_a_die = step.tokens() / time / dies;
  const Hardware& hardware = experiment.hardware;
  const bool fp8 = step.fp8 != Fp8Recipe::kNone;
  const std::uint32_t macs =
      fp8 ? hardware.cube.macs_per_cycle(operand_type(step.fp8)) : hardware.cube.macs_per_cycle_16;
  figures.peak_tflops =
      2e-12 * macs * hardware.workers.count(CoreUnit::kMatrix) * static_cast<double>(hardware.clock.count);
  const double passes = prepared.layout.shape.micro_batches_a_copy();  // of each block
  double run_flops = 0, cube_time = 0;
  for (std::uint32_t s = 0; s < step.pp; ++s) {
    double kernels = 0;
    for (const std::uint32_t b : prepared.layout.blocks_of(s)) {
      run_flops += prepared.blocks[b].flops_run * passes;
      for (const PartWorks* const works : {&prepared.blocks[b].forward, &prepared.blocks[b].again,
                                           &prepared.blocks[b].activation, &prepared.blocks[b].weights})
        for (const PartWork& part : *works) kernels += static_cast<double>(part.launches) * passes;
      if (const auto& draws = prepared.blocks[b].experts; !draws.empty())
        for (const ExpertPass* const pass : {&draws.front().forward, &draws.front().backward})
          kernels += (2.0 + pass->experts.launches + pass->weights.launches) * passes;
    }
    figures.kernels = std::max(figures.kernels, kernels);
    figures.active = std::max(figures.active, accounts[s].active);
    for (const TimeClass kind : {TimeClass::kGrouped, TimeClass::kProducts, TimeClass::kAttention})
      cube_time += seconds(at(accounts[s].classes, kind));
    figures.experts_share += seconds(accounts[s].experts) / time / stages;
    StageMemory memory = static_memory(step, prepared.layout, prepared.blocks, s);
    for (const auto& [time, bytes] : activations_of(run.written, run.result, s))
      memory.activations = std::max(memory.activations, bytes);
    figures.activations.push_back(memory.activations);
    if (memory.total() > figures.peak_memory) figures.fullest = s;
    figures.peak_memory = std::max(figures.peak_memory, memory.total());
    for (std::size_t e = 0; e < figures.exchanges.size(); ++e)
      add_part(accounts[s].exchanges[e], step.pp, figures.exchanges[e]);
    add_part(accounts[s].paired, step.pp, figures.paired);
    add_part(accounts[s].unpaired, step.pp, figures.unpaired);
    add(accounts[s].classes, figures.classes);
  }
  figures.classes = scaled(figures.classes, figures.time);
  figures.model_tflops = model_flops(prepared.plan.model, step.block_layout()) * figures.tokens_a_die * 1e-12;
  figures.mfu = figures.model_tflops / figures.peak_tflops;
  if (cube_time > 0) figures.mac_ratio = run_flops * 1e-12 / cube_time / figures.peak_tflops;
  return figures;
}

}  // namespace a3sim
