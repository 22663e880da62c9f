#include "sim/experiment/step/step_sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/experiment/outcome/stream_trace.h"
#include "sim/experiment/run/own_values.h"
#include "sim/experiment/step/preset_experts.h"
#include "sim/experiment/step/step_bar.h"
#include "sim/experiment/step/step_bounds.h"
#include "sim/experiment/step/step_fp8.h"
#include "sim/experiment/step/step_routing.h"

namespace a3sim {
namespace {

// Returns the number of dies sold as one: those of the nearest level, if it is a package.
std::uint32_t dies_a_package(const Hardware& hardware) {
  const Hardware::Fabric::Level* const package = hardware.fabric.level("package");
  return package ? package->dies : 1;
}

std::string groups_of(const StepOptions& step) {
  return fmt::format("{} dies: TP {}, PP {}{}, CP {}, DP {}, EP {}{}", step.dies(), step.tp, step.pp,
                     step.vpp > 1 ? fmt::format(" x {} chunks", step.vpp) : "", step.cp, step.dp, step.ep,
                     step.etp > 1 ? fmt::format(" of {} dies each", step.etp) : "");
}

std::string answer(const Experiment& experiment, const SimulatedStep& simulated) {
  const StepFigures& f = simulated.figures;
  const StepOptions& step = simulated.prepared.plan.step;
  const std::uint32_t package = dies_a_package(experiment.hardware);
  return fmt::format(
             "step      {:.3f} s, {:.0f} tokens/s per die{}, {:.1f} model TFLOPS per die: MFU {:.1f} "
             "% "
             "of {:.0f}\n"
             "model     {}, sequence {}, {} samples in micro-batches of {}\nmachine   {}, {}\nschedule  {}, "
             "{} "
             "micro-batches{}; EP "
             "overlap {}; experts {}\n",
             seconds(f.time), f.tokens_a_die,
             package > 1 ? fmt::format(" ({:.0f} per package)", f.tokens_a_die * package) : "",
             f.model_tflops, 100 * f.mfu, f.peak_tflops, simulated.prepared.plan.model.name, step.sequence,
             step.global_batch, step.micro_batch, experiment.hardware.name, groups_of(step), step.schedule,
             step.micro_batches(), step.split_weights ? ", weight gradients split off" : "",
             name_of(step.overlap), experts_label(experiment, step)) +
         own_values(experiment);
}

void add_figures(const Experiment& experiment, const SimulatedStep& simulated, Report& report) {
  const StepFigures& f = simulated.figures;
  report.fact("method", simulated.prepared.plan.step.schedule)
      .fact("step_ps", f.time)
      .fact("tokens_per_second_per_die", f.tokens_a_die)
      .fact("tokens_per_second_per_package", f.tokens_a_die * dies_a_package(experiment.hardware))
      .fact("model_tflops_per_die", f.model_tflops)
      .fact("mfu", f.mfu)
      .fact("mac_ratio", f.mac_ratio)
      .fact("peak_memory_bytes", f.peak_memory)
      .fact("experts_share", f.experts_share)
      .fact("gpu_active_ps", f.active)
      .fact("kernels", f.kernels);
}

void add_classes(const SimulatedStep& simulated, Report& report) {
  const StepFigures& f = simulated.figures;
  const std::vector<StageAccount>& accounts = simulated.accounts;
  const std::size_t last = accounts.size() - 1;
  std::vector<Column> columns{Column::words("time of a die", "class"),
                              Column::milliseconds("mean ms", "mean_ps"),
                              Column::percent("of step", "share")};
  if (last > 0) {
    columns.push_back(Column::milliseconds("stage 0 ms", "first_ps"));
    columns.push_back(Column::milliseconds(fmt::format("stage {} ms", last), "last_ps"));
  }
  Table& table = report.table("classes", columns);
  for (std::uint32_t c = 0; c < kTimeClasses; ++c) {
    if (f.classes[c] == Duration::zero()) continue;
    std::vector<Cell> row{std::string(kNamesOf<TimeClass>[c]), f.classes[c], share(f.classes[c], f.time)};
    if (last > 0) row.insert(row.end(), {accounts.front().classes[c], accounts[last].classes[c]});
    table.add(std::move(row));
  }
}

// Says what the class `rest` stands for.
void add_rest(const Experiment& experiment, const SimulatedStep& simulated, Report& report) {
  Duration gaps{};
  for (const StageAccount& account : simulated.accounts)
    gaps += account.gaps / static_cast<std::int64_t>(simulated.accounts.size());
  const Duration rest = at(simulated.figures.classes, TimeClass::kRest);
  const StepOptions& step = simulated.prepared.plan.step;
  report
      .say(fmt::format("Rest: {:.1f} ms are gaps between kernels, {:.1f} us each (program.launch.queued){}; "
                       "{:.1f} ms the die "
                       "waits for what is of no class.\n",
                       milliseconds(gaps), 1e6 * seconds(experiment.program.launch.queued),
                       step.unlisted > Duration::zero()
                           ? fmt::format(", and {:.1f} us of small kernels with each (step.host.unlisted)",
                                         1e6 * seconds(step.unlisted))
                           : ", without the small kernels of a framework that nobody lists",
                       milliseconds(std::max(Duration::zero(), rest - gaps))),
           "rest")
      .fact("gaps_ps", gaps);
}

void add_exchanges(const SimulatedStep& simulated, Report& report) {
  std::vector<Column> columns{Column::words("exchange"), Column::milliseconds("in all ms", "total_ps"),
                              Column::milliseconds("exposed ms", "exposed_ps"),
                              Column::percent("hidden", "hidden_share")};
  for (const char* by : {"products of experts", "other products", "attention", "vector"})
    columns.push_back(Column::milliseconds(fmt::format("by {} ms", by), fmt::format("hidden_by.{}_ps", by)));
  columns.push_back(Column::milliseconds("beside other exchanges ms", "beside_ps"));
  Table& table = report.table("exchanges", columns);
  for (std::size_t e = 0; e < simulated.figures.exchanges.size(); ++e) {
    const ExchangeAccount& account = simulated.figures.exchanges[e];
    if (account.total == Duration::zero()) continue;
    std::vector<Cell> row{std::string(kNamesOf<ExchangeFor>[e]), account.total, account.exposed,
                          share(account.hidden(), account.total)};
    row.insert(row.end(), account.hidden_by.begin(), account.hidden_by.end());
    row.emplace_back(account.beside);
    table.add(std::move(row));
  }
}

// The part of its rate that cables between switches leave to the exchange that they hold up most.
void add_held_exchange(const StepProgram& written, Report& report) {
  if (written.fullest_cable.empty()) return;
  report
      .say(fmt::format(
          "Cables hold exchanges up: cable {} leaves {:.1f} % of the rate that ports would allow.\n",
          written.fullest_cable, 100 * written.cable_part))
      .fact("cable.fullest", written.fullest_cable)
      .fact("cable.part", written.cable_part);
}

void add_memory(const SimulatedStep& simulated, Report& report) {
  const auto gibibytes = [](const char* head, const char* key) { return Column::number(head, key, 2); };
  Table& table = report.table(
      "memory", {Column::count("stage"), gibibytes("weights GiB", "weights_gib"),
                 gibibytes("gradients", "gradients_gib"), gibibytes("states", "states_gib"),
                 gibibytes("gathered", "gathered_gib"), gibibytes("activations", "activations_gib"),
                 gibibytes("again", "again_gib"), gibibytes("in all", "total_gib")});
  for (std::uint32_t s = 0; s < simulated.accounts.size(); ++s) {
    StageMemory memory = simulated.prepared.memory[s];
    memory.activations = simulated.figures.activations[s];
    table.add({std::int64_t{s}, memory.weights / kGibibyte, memory.gradients / kGibibyte,
               memory.states / kGibibyte, memory.gathered / kGibibyte, memory.activations / kGibibyte,
               memory.again / kGibibyte, memory.total() / kGibibyte});
  }
  const auto capacity = static_cast<double>(simulated.prepared.plan.step.capacity.count);
  report.say(fmt::format(
      "A die has {:.0f} GiB (step.capacity){}.\n", capacity / kGibibyte,
      simulated.figures.peak_memory > capacity
          ? fmt::format(", and stage {} needs more: it would not run like this", simulated.figures.fullest)
          : ""));
}

// Names what a launch script asks for and what is not simulated. The summary's JSON has it as left_out.
void add_not_modelled(const SimulatedStep& simulated, Report& report) {
  const std::vector<std::string>& names = simulated.prepared.plan.step.not_modelled;
  if (names.empty()) return;
  report.say(fmt::format("Not modelled, and may matter ('a3sim config from' lists every argument):\n  {}\n",
                         fmt::join(names, "\n  ")));
}

// Says what a capacity of experts drops, and fills up.
void add_capacity(const SimulatedStep& simulated, Report& report) {
  const std::vector<ExpertTimes>* const draws = experts_of(simulated.prepared);
  const StepOptions& step = simulated.prepared.plan.step;
  if (!draws || step.expert_capacity == 0) return;
  RowLimit mean{0, 0};
  for (const ExpertTimes& drawn : *draws) {
    mean.dropped += drawn.limit.dropped / static_cast<double>(draws->size());
    mean.part += drawn.limit.part / static_cast<double>(draws->size());
  }
  report
      .say(fmt::format(
          "Experts take {} times the mean rows of a rank (step.expert_capacity): {:.1f} % of the rows are "
          "dropped, and {:.1f} % as many are computed as tokens choose.\n",
          step.expert_capacity, 100 * mean.dropped, 100 * mean.part))
      .fact("routing.dropped", mean.dropped)
      .fact("routing.computed", mean.part);
}

void add_experts(const Experiment& experiment, const SimulatedStep& simulated, Report& report) {
  const double own = simulated.figures.experts_share;
  if (own == 0) return;
  std::string text = fmt::format("MoE-FFN, Dispatch to Combine: {:.1f} % of the step", 100 * own);
  if (const auto faster = compare_with_kernels(experiment, simulated)) {
    const double f = faster->by_kernels.figures.experts_share;
    text += fmt::format(
        "; kernel by kernel {:.1f} % of {:.3f} s.\nAlone it is {:.3f} times as fast as by kernels: 1 / (1 - "
        "f + f / s) = {:.3f}, "
        "simulated {:.3f}; {}",
        100 * f, seconds(faster->by_kernels.figures.time), faster->speedup, faster->foreseen,
        faster->simulated,
        std::abs(faster->simulated - faster->foreseen) < 0.005 ? "what is around it hides nothing of it"
        : faster->simulated < faster->foreseen
            ? "part of what it saves was hidden, or is waited for elsewhere"
            : "exchanges that kernels leave exposed are saved, too");
    report.fact("experts.speedup", faster->speedup)
        .fact("experts.foreseen", faster->foreseen)
        .fact("experts.simulated", faster->simulated)
        .fact("experts.kernel_share", f)
        .fact("experts.kernel_step_ps", faster->by_kernels.figures.time);
  }
  report.say(text + ".\n");
}

// Names what nobody has published about the largest class of time after products.
std::string unknown_of(const SimulatedStep& simulated) {
  const StepOptions& step = simulated.prepared.plan.step;
  const ClassTimes& classes = simulated.figures.classes;
  const std::pair<TimeClass, const char*> unknowns[] = {
      {TimeClass::kBubble, "the schedule (step.schedule, step.split) and how many micro-batches fill it"},
      {TimeClass::kVector, "which vector operators are fused (step.fuse)"},
      {TimeClass::kAttention, "the rate of attention's backward pass, of which no A3 figure is public"},
      {TimeClass::kEp, "how much of EP's exchanges is hidden (step.overlap)"},
      {TimeClass::kHost, "the host's time a launch (step.host.launch)"},
      {TimeClass::kOptimizer, "the host's link (step.host.link)"},
      {TimeClass::kRest, "gaps between kernels (program.launch.queued)"},
      {TimeClass::kTp, "whether products hide TP's exchanges (step.tp_pipelined)"},
      {TimeClass::kDp, "whether passes hide DP's exchanges (step.dp_overlap)"}};
  const auto* most = &unknowns[0];
  for (const auto& one : unknowns)
    if (at(classes, one.first) > at(classes, most->first)) most = &one;
  return fmt::format("The answer depends most on {}: {:.1f} % of the step is {}.\n", most->second,
                     100 * seconds(at(classes, most->first)) / seconds(simulated.figures.time),
                     kNamesOf<TimeClass>[static_cast<std::size_t>(most->first)]) +
         (step.pp > 1 ? fmt::format("One die stands for each of {} stages", step.pp)
                      : std::string("One die stands for all")) +
         ": EP groups go in lockstep, DP ranks are alike.\n";
}

// Returns the times of the MoE-FFN on its own, one pass each way: a mean over draws. Zero if the model has no experts.
double alone_in(const PreparedStep& prepared) {
  const std::vector<ExpertTimes>* const draws = experts_of(prepared);
  if (!draws) return 0;
  double sum = 0;
  for (const ExpertTimes& times : *draws) sum += seconds(times.alone(prepared.plan.step.experts_again()));
  return sum / static_cast<double>(draws->size());
}

}  // namespace

SimulatedStep simulate_step(const Experiment& experiment) {
  SimulatedStep step;
  step.prepared = prepare_step(experiment);
  step.run = run_step(experiment, step.prepared);
  measure(experiment, step);
  return step;
}

void measure(const Experiment& experiment, SimulatedStep& step) {
  step.accounts = accounts_of(step.run.written, step.run.result);
  step.figures = figures_of(experiment, step.prepared, step.run, step.accounts);
}

std::optional<FasterExperts> compare_with_kernels(const Experiment& experiment, const SimulatedStep& step) {
  const StepOptions& options = step.prepared.plan.step;
  const double own = alone_in(step.prepared);
  const bool preset = !options.experts.empty();
  const std::string kernels = preset ? "kernel_by_kernel" : "kernel";
  if (own == 0 || options.exchange == ExpertExchange::kStreams ||
      experts_label(experiment, options) == kernels)
    return std::nullopt;
  std::vector<std::string> changes{(preset ? "step.experts=" : "experiment.execution=") + kernels};
  if (!options.experts_backward.empty()) changes.push_back("step.experts_backward=" + kernels);
  FasterExperts faster{simulate_step(experiment.with(changes))};
  const double f = faster.by_kernels.figures.experts_share;
  faster.speedup = alone_in(faster.by_kernels.prepared) / own;
  faster.foreseen = 1 / (1 - f + f / faster.speedup);
  faster.simulated = seconds(faster.by_kernels.figures.time) / seconds(step.figures.time);
  return faster;
}

OwnSections step_sections(const Experiment& experiment, const SimulatedStep& step) {
  OwnSections own;
  own.head = answer(experiment, step);
  add_figures(experiment, step, own.before);
  add_classes(step, own.before);
  add_rest(experiment, step, own.before);
  add_exchanges(step, own.before);
  add_held_exchange(step.run.written, own.before);
  add_memory(step, own.before);
  add_experts(experiment, step, own.before);
  add_routing(experiment, step, own.before);
  add_capacity(step, own.before);
  add_fp8(experiment, step, own.before);
  own.before.say(unknown_of(step), "unknown");
  add_not_modelled(step, own.before);
  add_error_bar(experiment, step, own.before);
  return own;
}

RunOutcome step_outcome(const Experiment& experiment, SimulatedStep& step, Record record) {
  // Lent, as a copy of a long program would take half of the run's memory.
  StreamPass pass{std::move(step.run.written.program), {}, std::move(step.run.result)};
  RunOutcome outcome = outcome_of(experiment, "step", pass, record);
  step.run.written.program = std::move(pass.program);
  step.run.result = std::move(pass.result);
  outcome.latency = step.run.result.makespan;
  if (record != Record::kLatency)
    outcome.bounds = step_bounds(experiment.hardware, step.prepared, step.run.written);
  return outcome;
}

}  // namespace a3sim
