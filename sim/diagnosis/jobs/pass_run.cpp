#include "sim/diagnosis/jobs/pass_run.h"

#include <optional>
#include <utility>

#include "sim/experiment/draws.h"
#include "sim/experiment/run_experiment.h"
#include "sim/runtime/execution.h"

namespace a3sim {
namespace {

// Applies noise and slow operators to tasks.
class StepHooks final : public TaskHooks {
 public:
  explicit StepHooks(const PassRun& run) : schedule_(run.variant->compiled.passes[run.pass].schedule) {
    if (run.noise.any())
      jitter_.emplace(schedule_, jitter_of(run), run.step, static_cast<std::uint32_t>(run.pass));
    const std::span<const OperatorInfo> operators = schedule_.front().operators();
    for (const StepConditions::SlowOperator& slow : run.conditions->operators) {
      for (std::size_t op = 0; op < operators.size(); ++op) {
        if (operators[op].name != slow.name) continue;
        slow_.resize(schedule_.size(), std::vector<double>(operators.size(), 1));
        slow_[slow.rank][op] *= slow.factor;
      }
    }
  }

  static JitterOptions jitter_of(const PassRun& run) {
    return {1, run.noise.seed, run.noise.durations, run.noise.rates};
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

Experiment experiment_in(const PassRun& run) {
  const Experiment& experiment = run.variant->experiment;
  return run.noise.any() ? with_jitter(experiment, StepHooks::jitter_of(run), run.step) : experiment;
}

RunResult PassRun::run(KernelLaunches* launches, bool record) const {
  const Experiment changed = experiment_in(*this);
  RunOptions options = options_of(changed, record);
  if (options.ranks.empty())
    for (std::uint32_t r = 0; r < starts.size(); ++r) options.ranks.push_back({.die = r});
  for (std::size_t r = 0; r < starts.size(); ++r) {
    options.ranks[r].start += starts[r];
    options.ranks[r].clock *= conditions->clock[r];
    options.ranks[r].hbm *= conditions->hbm[r];
  }
  StepHooks hooks(*this);
  if (hooks.any()) options.hooks = &hooks;
  LinkDisturbances links = conditions->links;
  links.since = since;
  for (LinkDisturbances::Resend& resend : links.resends) resend.seed ^= std::uint64_t{pass} << 48;
  if (links.any()) options.disturbances = &links;
  if (variant->by_kernels) options.launches = launches;
  return run_pass(changed, variant->compiled, pass, options);
}

StepVariant make_variant(Experiment experiment) {
  if (experiment.kept > 0)
    throw InputError(experiment.name +
                     ": the ranks of a job have hosts of their own, so none stands for another: take "
                     "experiment.simulate all");
  StepVariant variant;
  variant.compiled = compile_all(experiment);
  variant.by_kernels = Executions::get(experiment.run.execution).launches_kernels(experiment.run.transport);
  variant.experiment = std::move(experiment);
  const std::uint32_t ranks = variant.experiment.shape.ep;
  for (std::uint32_t r = 0; r < ranks; ++r)
    variant.rows.push_back(rows_of(variant.experiment, variant.compiled.counts, r));
  const StepConditions none(ranks, {});
  for (std::size_t p = 0; p < variant.compiled.passes.size(); ++p) {
    UnheldLaunches launches(ranks);
    const RunResult result =
        PassRun{&variant, &none, {}, 0, p, {}, std::vector<Duration>(ranks)}.run(&launches, true);
    std::vector<double>& operations = variant.operations.emplace_back();
    for (const RankResult& rank : result.ranks) {
      double sum = 0;
      for (const TaskRecord& task : rank.records) sum += static_cast<double>(task.operations);
      operations.push_back(sum);
    }
  }
  return variant;
}

}  // namespace a3sim
