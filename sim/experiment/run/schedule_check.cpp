#include "sim/experiment/run/schedule_check.h"

#include <fmt/format.h>

#include "sim/runtime/untimed_run.h"

namespace a3sim {

Findings check_schedule(const Experiment& experiment, const Schedule& schedule) {
  Findings findings = verify(schedule);
  if (!findings.errors.empty()) return findings;
  const std::string how =
      fmt::format("under {}, {}", experiment.run.execution, name_of(experiment.run.transport));
  for (const std::string& blocked :
       find_blocked(schedule, experiment.hardware, experiment.program, experiment.run))
    findings.errors.push_back(fmt::format("{} ({})", blocked, how));
  if (findings.errors.empty()) findings.notes.push_back(fmt::format("every task runs {}", how));
  return findings;
}

}  // namespace a3sim
