#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <vector>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/step/step_estimate.h"
#include "sim/experiment/step/training_step.h"

namespace a3sim {
namespace {

#ifdef NDEBUG  // sanitizers take more time and memory

rusage used_by_this_process() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used;
}

double processor_seconds() {
  const rusage used = used_by_this_process();
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

TEST_CASE("a step of DeepSeek-V3 on 512 dies takes under 5 s and 500 MB once its layers have run") {
  constexpr double kMostSeconds = 5, kMostKilobytes = 500e3;
  const std::vector<std::string> none;
  const Experiment experiment =
      load_experiment(configs_folder() / "experiments" / "step_deepseek_v3.yaml", none);
  const StepOptions& step = training_plan_of(experiment).step;
  REQUIRE(step.dies() == 512);
  REQUIRE(step.pp == 8);
  REQUIRE(step.micro_batches() == 120);
  static_cast<void>(prepare_step(experiment));  // runs the layers
  const double before = processor_seconds();
  const PreparedStep prepared = prepare_step(experiment);
  const StepRun run = run_step(experiment, prepared);
  const StepFigures figures = figures_of(experiment, prepared, run, accounts_of(run.written, run.result));
  CHECK(figures.time == run.result.makespan);
  CHECK(processor_seconds() - before < kMostSeconds);
  CHECK(static_cast<double>(used_by_this_process().ru_maxrss) < kMostKilobytes);
}

#endif

TEST_CASE(
    "A step is foreseen to take its experts' taskflows as well, each draw of them, and none of kernels") {
  const auto of_experts = [](const char* file, std::vector<std::string> set) {
    const Experiment step = load_experiment(configs_folder() / "experiments" / file, set);
    return step.work->estimate(step, false).seconds - estimate_of_step(training_plan_of(step)).seconds;
  };
  const double two = of_experts("step_end_to_end.yaml", {"step.draws=2"});
  CHECK(two > 0);
  CHECK(of_experts("step_end_to_end.yaml", {"step.draws=4"}) == Approx(2 * two));
  CHECK(of_experts("step_h100.yaml", {}) == 0);
}

}  // namespace
}  // namespace a3sim
