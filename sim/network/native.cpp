#include "sim/core/registry.h"
#include "sim/network/cable_max_min.h"
#include "sim/network/fluid.h"
#include "sim/network/max_min.h"

namespace a3sim {

namespace {

class Native final : public NetworkBackend {
 public:
  std::unique_ptr<Network> create(const NetworkSpec& spec) const override {
    return make_fluid("native", spec, [&]() -> std::unique_ptr<RateSolver> {
      if (spec.cables.empty()) return std::make_unique<MaxMin>(spec);
      return std::make_unique<CableMaxMin>(spec);
    });
  }
  bool takes_cables() const override { return true; }
};

A3SIM_REGISTER(NetworkBackend, "native", "exact max-min over ports, cables and caps, built in", Native);

}  // namespace

}  // namespace a3sim
