#include "traces/import/profile.h"

#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/published/evaluation.h"
#include "sim/result/metrics/metric_unit.h"

namespace a3sim {
namespace {

// Predicts how long an experiment's operators take, by a profile's definitions: one point for each name,
// the mean over all ranks and passes. The table's block says what the profile lists: kernels or tasks.
Predictions run_profile(const PublishedTable& table, const Scenario& scenario, const CaseSelection&) {
  const auto unit = std::any_cast<ProfileUnit>(table.block);
  const Experiment experiment = scenario.load(table.experiment);
  std::vector<TracedPass> passes;
  for (const PassResult& pass : run_experiment(experiment, true))
    passes.push_back({pass.name, trace_of(experiment, pass)});
  const Profile times = profile_of(passes, unit);
  Predictions result{table.heading, {}};
  const auto add = [&](std::string_view kind, const Names& names) {
    for (const auto& [name, durations] : names) {
      if (durations.mean() == Duration::zero()) continue;
      const double time = in_unit("latency", "us", static_cast<double>(durations.mean().count()));
      result.points.push_back({{{std::string(kind), name}}, "latency", "us", time, experiment.hardware.name});
    }
  };
  add(name_of(unit), times.sum(&RankProfile::operators));
  add("exchange", times.sum(&RankProfile::exchanges));
  return result;
}

void read_profile(const TableFile& file, PublishedTable& table) {
  table.experiment = file.root.text("experiment");
  table.block = file.root.choice("unit", ProfileUnit::kKernel);
}

A3SIM_REGISTER(Evaluation, "profile", "how long an experiment's operators take, as a profile lists them",
               Evaluation{run_profile, read_profile});

}  // namespace
}  // namespace a3sim
