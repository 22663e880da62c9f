#include "sim/runtime/run_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/runtime/execution.h"

namespace a3sim {

std::string read_execution(const Config& experiment) {
  const std::string usual = RunOptions{}.execution;
  std::vector<std::string> known = Executions::names();
  known.emplace_back(kStreams);
  return experiment.name("execution", ExecutionType::kKind, known, usual).value_or(usual);
}

void refuse_other_kinds(const Config& block, const WorkerKinds& workers) {
  for (const std::string& name : block.names({"aic", "aiv"})) {
    std::vector<std::string> known;
    for (const WorkerKind& kind : workers) known.push_back(kind.key());
    if (std::ranges::find(known, name) == known.end())
      block.error(name,
                  fmt::format("the machine has no such workers, expected {}", fmt::join(known, " or ")));
  }
}

RunOptions read_run_options(const Config& experiment, const WorkerKinds& workers) {
  RunOptions options;
  options.execution = read_execution(experiment);
  if (options.execution == kStreams)
    throw InputError(
        fmt::format("{}: {}: only micro-batches of a MoE layer run on streams, expected one of {}",
                    experiment.mark("execution").text(), experiment.path("execution"),
                    fmt::join(Executions::names(), ", ")));
  const ExecutionType* type = &Executions::get(options.execution);
  options.transport = experiment.choice("communication", type->usual_transport());
  if (options.transport == Transport::kCollective && !type->takes_collectives()) {
    experiment.error(
        "communication",
        "the host's collectives stand between kernels, expected one_sided, or execution static or kernel");
  }
  const Config poll = experiment.map("poll");
  refuse_other_kinds(poll, workers);
  for (const WorkerKind& kind : workers)
    options.poll.push_back(poll.has(kind.key()) ? poll.duration(kind.key()) : Duration::zero());
  // Accepts keys of an experiment that another machine is laid over.
  for (const WorkerKind& usual : aic_and_aiv(0, 0)) poll.let_stand(usual.key());
  poll.finish();
  options.launch = experiment.choice("launch", options.launch);
  options.ready = experiment.choice("ready", options.ready);
  constexpr std::int64_t kMostExperts = 65535;
  options.kernel_experts =
      static_cast<std::uint32_t>(experiment.integer("kernel_experts", 0, kMostExperts, 0));
  options.dispatch_servers = static_cast<std::uint32_t>(experiment.integer("dispatch_servers", 1, 1024, 1));
  const bool has_scheduler = charges(options, "program.tasks.dynamic_task");
  for (const char* key : {"ready", "dispatch_servers"})
    if (!has_scheduler) experiment.let_stand(key);
  return options;
}

}  // namespace a3sim
