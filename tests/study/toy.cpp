#include "tests/study/toy.h"

#include "sim/study/published/reproduction.h"

namespace a3sim {
namespace {

class ToyReproduction final : public Reproduction {
 public:
  Reproduced run(const Setting& setting) const override {
    const Experiment experiment = setting.load("toy");
    const Hardware::MemorySystem& memory = experiment.hardware.memory;
    const double hbm = static_cast<double>(memory.hbm_read.count) * 1e-12,
                 l2 = static_cast<double>(memory.l2_read.count) * 1e-12;
    Reproduced result{.heading = "toy\n", .points = {}};
    const auto add = [&](const char* name, const char* metric, const char* unit, double value,
                         const char* variant = "") {
      if (!setting.wants({{"point", name}}) || (*variant && !setting.variants)) return;
      result.points.push_back({.kase = {{"point", name}},
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
};

A3SIM_REGISTER(Reproduction, "toy", "Closed forms of hardware values", ToyReproduction);

}  // namespace
}  // namespace a3sim
