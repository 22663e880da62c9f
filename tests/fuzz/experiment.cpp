#include "sim/experiment/experiment.h"

#include "sim/experiment/configs_folder.h"
#include "sim/experiment/run_experiment.h"
#include "tests/fuzz/target.h"

namespace a3sim {
namespace {

// Runs what is small.
void run_small(const Experiment& experiment) {
  constexpr std::uint64_t kMostSlots = 4096, kMostElements = 1 << 14, kMostExperts = 32;
  const MoeShape& shape = experiment.shape;
  if (std::uint64_t{shape.tokens} * shape.top_k * shape.ep > kMostSlots || experiment.streams) return;
  if (std::uint64_t{shape.hidden} + shape.intermediate > kMostElements || shape.experts() > kMostExperts)
    return;
  if (experiment.bucket_rows.value_or(0) > kMostSlots || experiment.cut.shares > kMostExperts) return;
  run_experiment(experiment, true, backend_in_threads(experiment));
}

// Each line is laid over a small experiment, as --set does.
class ExperimentTarget final : public FuzzTarget {
 public:
  void take(std::string_view input) const override {
    constexpr std::size_t kMostLines = 16;
    std::vector<std::string> overrides{
        "parallel.ep=2",         "model.tokens=16",          "model.hidden=64",       "model.top_k=1",
        "model.intermediate=32", "model.experts_per_rank=2", "network.backend=native"};
    const std::size_t most = overrides.size() + kMostLines;
    while (!input.empty() && overrides.size() < most) {
      const std::string_view line = input.substr(0, input.find('\n'));
      overrides.emplace_back(line);
      input.remove_prefix(std::min(input.size(), line.size() + 1));
    }
    run_small(load_experiment(configs_folder() / "experiments" / "ep4.yaml", overrides));
  }
};

A3SIM_REGISTER(FuzzTarget, "experiment", "values of an experiment, which is run where it is small",
               ExperimentTarget);

}  // namespace
}  // namespace a3sim
