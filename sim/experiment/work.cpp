#include "sim/experiment/work.h"

#include "sim/experiment/experiment.h"

namespace a3sim {

std::optional<Duration> PreparedWork::by_hand(const Experiment&, std::size_t, double,
                                              std::string_view) const {
  return {};
}

std::string ExperimentWork::execution(const Experiment& experiment) const { return experiment.run.execution; }

std::string ExperimentWork::label(const Experiment& experiment) const { return experiment.order.name; }

std::vector<SampledMetric> ExperimentWork::sample(const Experiment&, std::uint32_t) const { return {}; }

bool ExperimentWork::shares_runs(std::string_view) const { return false; }

std::shared_ptr<const ExperimentWork> read_work(const Config& root, Experiment& experiment) {
  const Config block = root.map("experiment");
  for (const auto& [name, item] : WorkTypes::all()) {
    if (item.object->takes(block)) return item.object->read(root, experiment);
  }
  return WorkTypes::get("taskflow").read(root, experiment);
}

}  // namespace a3sim
