#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "scheduler/show.h"
#include "scheduler/verify.h"
#include "sim/core/error.h"
#include "sim/experiment/compiled.h"
#include "sim/experiment/configs_folder.h"
#include "sim/experiment/run_experiment.h"
#include "sim/runtime/run.h"

namespace a3sim {

// A schedule in the place of its rank's in a small one: what `check` takes must run, under whatever execution.
inline void run_if_sound(const Ssc& ssc) {
  static const Experiment kExperiment =
      load_experiment(configs_folder() / "experiments" / "ep4.yaml",
                      std::vector<std::string>{"parallel.ep=2", "model.tokens=8", "model.hidden=64",
                                               "model.top_k=1", "model.intermediate=32",
                                               "model.experts_per_rank=1", "experiment.pass=forward"});
  static const Schedule kCompiled = compile_all(kExperiment).passes[0].schedule;
  Schedule schedule = kCompiled;
  if (index(ssc.rank()) >= schedule.size()) return;
  schedule[index(ssc.rank())] = ssc;
  if (!verify(schedule).errors.empty()) return;
  try {
    const Compiled given{capacity_of(schedule), {{"forward", schedule}}};
    run_pass(kExperiment, given, 0, options_of(kExperiment, true));
    bounds_of(kExperiment, given, 0, options_of(kExperiment, true));
  } catch (const RunError& error) {
    throw std::logic_error(std::string("checked, and does not run: ") + error.what());
  }
}

}  // namespace a3sim
