#include "tests/published/toy.h"

namespace a3sim {
namespace {

Predictions run_toy(const PublishedTable& table, const Scenario& scenario, const CaseSelection& wanted) {
  const Experiment experiment = scenario.load("toy");
  const Hardware::MemorySystem& memory = experiment.hardware.memory;
  const double hbm = static_cast<double>(memory.hbm_read.count) * 1e-12,
               l2 = static_cast<double>(memory.l2_read.count) * 1e-12;
  Predictions result{table.heading, {}};
  const auto add = [&](const char* name, const char* metric, const char* unit, double value,
                       const char* variant = "") {
    if (!wanted.has({{"point", name}}) || (*variant && !wanted.variants)) return;
    result.points.push_back({.coordinates = {{"point", name}},
                             .metric = metric,
                             .unit = unit,
                             .value = value,
                             .hardware = experiment.hardware.name,
                             .variant = variant});
  };
  add("copy", "latency", "us", Toy::copy(hbm));
  add("copy", "latency", "us", 2 * Toy::copy(hbm), "twice");
  add("read", "bandwidth", "TB/s", Toy::read(l2));
  add("both", "latency", "us", Toy::both(hbm, l2));
  add("copy", "bandwidth", "TB/s", hbm);
  return result;
}

A3SIM_REGISTER(Evaluation, "toy", "closed forms of hardware values", Evaluation{run_toy});

}  // namespace
}  // namespace a3sim
