#include "sim/experiment/experiment.h"

#include "sim/experiment/config/configs_folder.h"
#include "tests/fuzz/small_run.h"
#include "tests/fuzz/target.h"

namespace a3sim {
namespace {

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
