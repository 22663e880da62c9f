#include <catch2/catch.hpp>

#include "sim/experiment/step/step_sections.h"
#include "tests/step/run_text.h"

namespace a3sim {
namespace {

Duration time_of(const Experiment& experiment) { return simulate_step(experiment).figures.time; }

// Passes of experts are stored and found again by what they follow from. Some numbers of the machine were once not part of that.
TEST_CASE("a step on a changed machine is the step whose configuration says so, whatever ran before") {
  for (const std::vector<std::string>& experts :
       {std::vector<std::string>{}, std::vector<std::string>{"step.experts=hyperparallel"}}) {
    std::vector<std::string> set{"parallel.dp=4", "parallel.ep=4", "step.exchange=taskflow",
                                 "experiment.communication=collective"};
    set.insert(set.end(), experts.begin(), experts.end());
    const Experiment experiment = parse_experiment(kSmall, kFile, set);
    const Duration usual = time_of(experiment);
    for (const char* const change :
         {"program.collective.per_peer=100 us", "hardware.workers.cube.l1_to_l0a=32 B/cycle",
          "hardware.workers.vector.transcendental=1 element/cycle"}) {
      INFO(change);
      const std::vector<std::string> changes{change};
      const Duration changed = time_of(experiment.with_machine(changes));
      CHECK(changed > usual);
      set.emplace_back(change);
      CHECK(changed == time_of(parse_experiment(kSmall, kFile, set)));
      set.pop_back();
    }
  }
}

}  // namespace
}  // namespace a3sim
