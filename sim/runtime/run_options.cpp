#include "sim/runtime/run_options.h"

#include <fmt/format.h>

#include "sim/runtime/execution.h"

namespace a3sim {

std::string read_execution(const Config& experiment) {
  const std::string usual = RunOptions{}.execution;
  std::vector<std::string> known = Executions::names();
  known.emplace_back(kStreams);
  return experiment.name("execution", ExecutionType::kKind, known, usual).value_or(usual);
}

RunOptions read_run_options(const Config& experiment) {
  RunOptions options;
  options.execution = read_execution(experiment);
  const ExecutionType* type = &Executions::get(options.execution);
  options.transport = experiment.choice("communication", type->usual_transport());
  if (options.transport == Transport::kCollective && !type->takes_collectives()) {
    experiment.error(
        "communication",
        "the host's collectives stand between kernels, expected one_sided, or execution static or kernel");
  }
  const Config poll = experiment.map("poll");
  if (poll.has("aic")) options.poll[0] = poll.duration("aic");
  if (poll.has("aiv")) options.poll[1] = poll.duration("aiv");
  poll.finish();
  options.launch = experiment.choice("launch", options.launch);
  options.ready = experiment.choice("ready", options.ready);
  options.dispatch_servers = static_cast<std::uint32_t>(experiment.integer("dispatch_servers", 1, 1024, 1));
  return options;
}

}  // namespace a3sim
