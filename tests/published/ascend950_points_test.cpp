#include <catch2/catch.hpp>

#include "sim/core/config/config.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/overrides.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/run/run_outcome.h"

namespace a3sim {
namespace {

// Returns how much longer a point of the file takes with another value of the machine.
double moved(const std::string& name, const std::string& change) {
  Diagnostics diagnostics;
  const Config root = Config::load(configs_folder() / "points" / "ascend950.yaml", {}, diagnostics);
  for (const Config& point : root.maps("points")) {
    if (point.text("name") != name) continue;
    std::vector<std::string> set;
    for (const Override& override : read_overrides(point.map("set"), configs_folder()))
      set.push_back(override.text());
    const auto file = configs_folder() / "experiments" / (point.text("experiment") + ".yaml");
    const auto time_of = [&] {
      const Experiment experiment = load_experiment(file, set);
      const auto work = experiment.work->prepare(experiment, 1);
      return seconds(work->run_all(experiment, Record::kLatency, 1).front().latency);
    };
    const double before = time_of();
    set.push_back(change);
    return time_of() / before - 1;
  }
  FAIL("no point " << name);
  return 0;
}

TEST_CASE("Each value that is assumed of Ascend 950's fabric has a point that it moves") {
  CHECK(moved("all_cores_to_one", "hardware.fabric.planes.ub.egress=500 GB/s") > 0.5);
  CHECK(moved("all_cores_to_one", "hardware.fabric.planes.ub.ingress=500 GB/s") > 0.5);
  CHECK(moved("all_to_all", "hardware.fabric.planes.ub.egress=500 GB/s") > 0.5);
  CHECK(moved("one_row", "hardware.fabric.levels.server.latency=1.4 us") > 0.4);
  CHECK(moved("one_row_beyond_server", "hardware.fabric.levels.pod.latency=4.2 us") > 0.4);
  CHECK(moved("row_puts", "hardware.fabric.put_per_worker=15.5 GB/s") > 0.5);
  CHECK(moved("row_pulls", "hardware.fabric.pull_per_worker=16 GB/s") > 0.9);
  // Those that tell the memory do not depend on the fabric.
  CHECK(moved("copy_hbm", "hardware.fabric.planes.ub.egress=500 GB/s") == 0);
}

}  // namespace
}  // namespace a3sim
