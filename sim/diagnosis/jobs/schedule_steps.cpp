#include "sim/diagnosis/jobs/schedule_steps.h"

#include <algorithm>
#include <optional>

#include "sim/experiment/run/draws.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/runtime/execution.h"

namespace a3sim {
namespace {

// Applies noise and slow operators to tasks.
class StepHooks final : public TaskHooks {
 public:
  StepHooks(const PassRun& run, const Schedule& schedule) : schedule_(schedule) {
    if (run.noise.any())
      jitter_.emplace(schedule_, run.jitter(), run.step, static_cast<std::uint32_t>(run.pass));
    const std::span<const OperatorInfo> operators = schedule_.front().operators();
    for (const StepConditions::SlowOperator& slow : run.conditions->operators) {
      for (std::size_t op = 0; op < operators.size(); ++op) {
        if (operators[op].name != slow.name) continue;
        slow_.resize(schedule_.size(), std::vector<double>(operators.size(), 1));
        slow_[slow.rank][op] *= slow.factor;
      }
    }
  }

  bool any() const { return jitter_ || !slow_.empty(); }

  double slowness(RankId rank, std::uint32_t task) override {
    const double drawn = jitter_ ? jitter_->slowness(rank, task) : 1;
    return slow_.empty() ? drawn : drawn * slow_[index(rank)][schedule_[index(rank)].tasks()[task].op];
  }

 private:
  const Schedule& schedule_;
  std::optional<TaskJitter> jitter_;
  std::vector<std::vector<double>> slow_;  // one entry per rank, then operator; empty if none is slow
};

std::uint32_t rows_of(const Experiment& experiment, const RoutingCounts& counts, std::uint32_t rank) {
  if (counts.experts() == 0) return 0;
  const std::uint32_t local = counts.experts() / experiment.shape.ep;
  std::uint32_t rows = 0;
  for (std::uint32_t src = 0; src < counts.ranks(); ++src)
    for (std::uint32_t e = 0; e < local; ++e) rows += counts.at(src, rank * local + e);
  return rows;
}

}  // namespace

StepNames schedule_step_names(const Experiment& experiment) {
  StepNames names;
  for (const Pass& pass : experiment.passes) {
    names.passes.push_back(pass.name);
    for (const OperatorNode& op : pass.graph.operators())
      if (std::ranges::find(names.operators, op.name) == names.operators.end())
        names.operators.push_back(op.name);
  }
  return names;
}

ScheduleSteps::ScheduleSteps(const Experiment& experiment) : compiled_(compile_all(experiment)) {
  const std::uint32_t ranks = experiment.shape.ep;
  for (std::uint32_t r = 0; r < ranks; ++r) rows_.push_back(rows_of(experiment, compiled_.counts, r));
  for (std::size_t p = 0; p < compiled_.passes.size(); ++p) {
    UnheldLaunches launches(ranks);
    RunOptions options = options_of(experiment, true);
    if (Executions::get(experiment.run.execution).launches_kernels(experiment.run.transport))
      options.launches = &launches;
    std::vector<double>& operations = operations_.emplace_back();
    for (const RankResult& rank : run_pass(experiment, compiled_, p, options).ranks) {
      double sum = 0;
      for (const TaskRecord& task : rank.records) sum += static_cast<double>(task.operations);
      operations.push_back(sum);
    }
  }
}

RanPass ScheduleSteps::run(const PassRun& run, KernelLaunches* launches, bool record) const {
  const Experiment changed = run.experiment();
  RunOptions options = options_of(changed, record);
  StepHooks hooks(run, compiled_.passes[run.pass].schedule);
  if (hooks.any()) options.hooks = &hooks;
  const LinkDisturbances links = run.links();
  if (links.any()) options.disturbances = &links;
  if (run.variant->by_kernels) options.launches = launches;
  RunResult result = run_pass(changed, compiled_, run.pass, options);
  RanPass ran{result.makespan, light_records(run, result), nullptr};
  if (record) ran.tasks = std::make_shared<ScheduleTasks>(std::move(result));
  return ran;
}

std::vector<LightRecord> ScheduleSteps::light_records(const PassRun& run, const RunResult& result) const {
  const WorkerKinds& kinds = run.variant->experiment.workers;
  std::vector<LightRecord> records(result.ranks.size());
  for (std::size_t rank = 0; rank < records.size(); ++rank) {
    const RankResult& rank_result = result.ranks[rank];
    LightRecord& record = records[rank];
    record.arrival = rank_result.done;
    record.waited = rank_result.waits.waited;
    record.longest = rank_result.waits.longest;
    record.whom = rank_result.waits.whom;
    record.operations = operations_[run.pass][rank];
    record.bytes = static_cast<double>(rank_result.sent);
    record.rows = rows_[rank];
    record.aic_busy = static_cast<float>(microseconds(rank_result.busy[kinds.queue_for(CoreUnit::kMatrix)]));
    record.aiv_busy = static_cast<float>(microseconds(rank_result.busy[kinds.queue_for(CoreUnit::kVector)]));
    record.transfer = static_cast<float>(microseconds(rank_result.transfer));
  }
  return records;
}

std::unique_ptr<const StepWork> schedule_steps(const Experiment& experiment) {
  return std::make_unique<ScheduleSteps>(experiment);
}

}  // namespace a3sim
