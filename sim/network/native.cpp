#include "sim/core/registry.h"
#include "sim/network/fluid.h"
#include "sim/network/max_min.h"

namespace a3sim {

namespace {

class Native final : public NetworkBackend {
 public:
  std::unique_ptr<Network> create(const NetworkSpec& spec) const override {
    return make_fluid("native", spec, [&] { return std::make_unique<MaxMin>(spec); });
  }
};

A3SIM_REGISTER(NetworkBackend, "native", "exact max-min over ports and caps, built in", Native);

}  // namespace

}  // namespace a3sim
