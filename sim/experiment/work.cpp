#include "sim/experiment/work.h"

#include "sim/core/error.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/micro_batches.h"

namespace a3sim {

std::string ExperimentWork::execution(const Experiment& experiment) const { return experiment.run.execution; }

std::string ExperimentWork::label(const Experiment& experiment) const { return experiment.order.name; }

std::vector<MicroBatchResult> ExperimentWork::run_micro_batches(const Experiment& experiment,
                                                                const Batches&) const {
  throw InputError(experiment.name +
                   ": has no micro-batches: 'a3sim run' runs it; experiment.method gives it some");
}

std::shared_ptr<const ExperimentWork> read_work(const Config& root, Experiment& experiment) {
  const Config block = root.map("experiment");
  for (const auto& [name, item] : WorkTypes::all()) {
    if (item.object->takes(block)) return item.object->read(root, experiment);
  }
  return WorkTypes::get("taskflow").read(root, experiment);
}

}  // namespace a3sim
