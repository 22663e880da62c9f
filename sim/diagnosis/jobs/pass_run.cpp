#include "sim/diagnosis/jobs/pass_run.h"

#include <utility>

#include "sim/runtime/execution.h"

namespace a3sim {
namespace {

bool runs_on_streams(const Experiment& experiment) { return experiment.work->why_no_programs().empty(); }

}  // namespace

Experiment PassRun::experiment() const {
  const Experiment& own = variant->experiment;
  Experiment changed = noise.any() ? with_jitter(own, jitter(), step) : own;
  std::vector<RankOptions>& ranks = changed.run.ranks;
  if (ranks.empty())
    for (std::uint32_t r = 0; r < starts.size(); ++r) ranks.push_back({.die = r});
  for (std::size_t r = 0; r < starts.size(); ++r) {
    ranks[r].start += starts[r];
    ranks[r].clock *= conditions->clock[r];
    ranks[r].hbm *= conditions->hbm[r];
  }
  return changed;
}

LinkDisturbances PassRun::links() const {
  LinkDisturbances links = conditions->links;
  links.since = since;
  for (LinkDisturbances::Resend& resend : links.resends) resend.seed ^= std::uint64_t{pass} << 48;
  return links;
}

StepNames step_names(const Experiment& experiment) {
  return runs_on_streams(experiment) ? stream_step_names(experiment) : schedule_step_names(experiment);
}

StepVariant make_variant(Experiment experiment) {
  if (experiment.representatives > 0)
    throw InputError(experiment.name +
                     ": the ranks of a job have hosts of their own, so none stands for another: take "
                     "experiment.simulate all");
  StepVariant variant;
  if (runs_on_streams(experiment)) {
    variant.work = stream_steps(experiment);
  } else {
    variant.by_kernels = Executions::get(experiment.run.execution).launches_kernels(experiment.run.transport);
    variant.work = schedule_steps(experiment);
  }
  variant.experiment = std::move(experiment);
  return variant;
}

}  // namespace a3sim
