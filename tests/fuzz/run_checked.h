#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "scheduler/compile/show.h"
#include "scheduler/verify/verify.h"
#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/compiled.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/runtime/device_l2.h"
#include "sim/runtime/run.h"

namespace a3sim {

// Returns a small experiment: two ranks, some rows.
inline const Experiment& checked_experiment() {
  static const Experiment kExperiment =
      load_experiment(configs_folder() / "experiments" / "ep4.yaml",
                      std::vector<std::string>{"parallel.ep=2", "model.tokens=8", "model.hidden=64",
                                               "model.top_k=1", "model.intermediate=32",
                                               "model.experts_per_rank=1", "experiment.pass=forward"});
  return kExperiment;
}

inline const Schedule& checked_schedule() {
  static const Schedule kCompiled = compile_all(checked_experiment()).passes[0].schedule;
  return kCompiled;
}

// Returns the small experiment on a machine with all kinds of worker that the schedule has.
inline Experiment on_machine_for(const Schedule& schedule) {
  Experiment experiment = checked_experiment();
  WorkerKinds& machine = experiment.hardware.workers;
  for (const Ssc& ssc : schedule) {
    for (const WorkerKind& kind : ssc.kinds()) {
      if (std::ranges::find(machine, kind.name, &WorkerKind::name) == machine.end()) machine.add(kind);
    }
  }
  return experiment;
}

// Runs a schedule of the small experiment if it is sound. A schedule that `check` accepts must run; one
// with too large tensors is skipped.
inline void run_if_sound(const Schedule& schedule) {
  constexpr double kMostBytes = 256e6;
  if (!verify(schedule).errors.empty()) return;
  try {
    const Experiment experiment = on_machine_for(schedule);
    const Compiled given{capacity_of(schedule), {{"forward", schedule}}};
    const RowLayout layout(schedule.front().shape(), given.counts, given.counts);
    if (l2_memory(schedule, layout, experiment.run.l2, 0) > kMostBytes) return;
    run_pass(experiment, given, 0, options_of(experiment, true));
    bounds_of(experiment, given, 0, options_of(experiment, true));
  } catch (const RunError& error) {
    throw std::logic_error(std::string("checked, and does not run: ") + error.what());
  }
}

// Runs the small experiment's schedule with the schedule of one rank replaced.
inline void run_if_sound(const Ssc& ssc) {
  Schedule schedule = checked_schedule();
  if (index(ssc.rank()) >= schedule.size()) return;
  schedule[index(ssc.rank())] = ssc;
  run_if_sound(schedule);
}

}  // namespace a3sim
