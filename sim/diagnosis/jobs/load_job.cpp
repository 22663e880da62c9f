#include "sim/diagnosis/jobs/job.h"
#include "sim/experiment/config/job_blocks.h"
#include "sim/runtime/execution.h"
#include "sim/runtime/topology.h"

namespace a3sim {
namespace {

FaultSite site_of(const Experiment& experiment, const StepNames& names) {
  FaultSite site;
  site.ranks = experiment.shape.ep;
  const Topology topology(experiment.hardware, experiment.program, dies_of(experiment.run.ranks),
                          experiment.run.transport);
  for (const Hardware::Fabric::Plane& plane : experiment.hardware.fabric.planes) {
    site.used.push_back(topology.uses(static_cast<std::uint32_t>(site.planes.size())));
    site.planes.push_back(plane.name);
  }
  site.cables = experiment.run.cables;
  site.operators = names.operators;
  return site;
}

// Returns the number of the host's launches per step: operators if each is a kernel, passes otherwise. A
// program on streams is a launch a pass: it has what its host does in it.
std::uint32_t launches_of(const Experiment& experiment, const StepNames& names) {
  if (experiment.work->why_no_programs().empty() ||
      !Executions::get(experiment.run.execution).launches_kernels(experiment.run.transport))
    return static_cast<std::uint32_t>(names.passes.size());
  std::size_t operators = 0;
  for (const Pass& pass : experiment.passes) operators += pass.graph.operators().size();
  return static_cast<std::uint32_t>(operators);
}

}  // namespace

JobSpec load_job(const std::filesystem::path& file, const std::vector<std::string>& sets,
                 const std::filesystem::path& inject) {
  JobSpec spec;
  spec.file = file;
  spec.sets = sets;
  {
    Diagnostics diagnostics;
    const Config root = Config::load(file, sets, diagnostics);
    for (const char* block : kJobBlocks)
      if (root.has(block)) root.yaml(block);
    spec.experiment = read_experiment(root, diagnostics);
  }
  if (const std::string why = spec.experiment.work->why_no_steps(); !why.empty())
    throw InputError(file.string() + ": " + why);
  spec.names = step_names(spec.experiment);
  Diagnostics diagnostics;
  const Config root = Config::load(file, sets, diagnostics);
  spec.hosts = read_host_options(root.map("hosts"), launches_of(spec.experiment, spec.names),
                                 spec.experiment.program.launch.queued);
  const FaultSite site = site_of(spec.experiment, spec.names);
  read_injection(root, site, spec.injection);
  if (!inject.empty()) {
    const Config injected = Config::load(inject, {}, diagnostics);
    read_injection(injected, site, spec.injection);
    injected.finish();
  }
  diagnostics.throw_if_any();
  return spec;
}

}  // namespace a3sim
