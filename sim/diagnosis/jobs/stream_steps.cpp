#include "sim/diagnosis/jobs/stream_steps.h"

#include <algorithm>
#include <optional>

#include "sim/experiment/run/draws.h"
#include "sim/experiment/streams/first_batch.h"

namespace a3sim {
namespace {

// Applies noise and slow operators to the tasks of a program.
class StreamStepHooks final : public TaskHooks {
 public:
  StreamStepHooks(const PassRun& run, const StreamProgram& program) {
    if (run.noise.any())
      jitter_.emplace(program, run.jitter(), run.step, static_cast<std::uint32_t>(run.pass));
    for (const StepConditions::SlowOperator& slow : run.conditions->operators) {
      slow_.resize(program.tasks.size(), 1);
      for (std::size_t t = 0; t < slow_.size(); ++t) {
        const StreamTask& task = program.tasks[t];
        if (index(task.rank) == slow.rank && task.name == slow.name) slow_[t] *= slow.factor;
      }
    }
  }

  bool any() const { return jitter_ || !slow_.empty(); }

  double slowness(RankId rank, std::uint32_t task) override {
    return (jitter_ ? jitter_->slowness(rank, task) : 1) * (slow_.empty() ? 1 : slow_[task]);
  }

 private:
  std::optional<StreamJitter> jitter_;
  std::vector<double> slow_;  // by task; empty if none is slow
};

class StreamSteps final : public StepWork {
 public:
  explicit StreamSteps(const Experiment& experiment) : first_(experiment), rows_(first_.plan().rows()) {}

  RanPass run(const PassRun& run, KernelLaunches*, bool record) const override {
    Experiment changed = run.experiment();
    const LinkDisturbances links = run.links();
    if (links.any()) changed.run.disturbances = &links;
    StreamStep step{first_.write(changed, run.pass), changed.run.ranks};
    StreamStepHooks hooks(run, step.pass.program);
    first_.run(step.pass, changed, hooks.any() ? &hooks : nullptr);
    RanPass ran{step.pass.result.makespan, light_records(step), nullptr};
    for (std::size_t rank = 0; rank < rows_.size(); ++rank)
      ran.light[rank].rows = static_cast<std::uint32_t>(rows_[rank]);
    if (record) ran.tasks = std::make_shared<StreamTasks>(std::move(step));
    return ran;
  }

 private:
  FirstBatch first_;
  std::vector<double> rows_;  // one entry per rank: rows that it computes
};

}  // namespace

StepNames stream_step_names(const Experiment& experiment) {
  const FirstBatch first(experiment);
  StepNames names{FirstBatch::pass_names(), {}};
  for (std::size_t pass = 0; pass < names.passes.size(); ++pass) {
    for (const StreamTask& task : first.write(experiment, pass).program.tasks)
      if (std::ranges::find(names.operators, task.name) == names.operators.end())
        names.operators.push_back(task.name);
  }
  return names;
}

std::unique_ptr<const StepWork> stream_steps(const Experiment& experiment) {
  return std::make_unique<StreamSteps>(experiment);
}

}  // namespace a3sim
