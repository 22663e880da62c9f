#include <dlfcn.h>
#include <fmt/format.h>

#include "sim/core/error.h"
#include "sim/core/registry.h"
#include "sim/network/fluid.h"
#include "sim/network/simgrid_rates.h"

namespace a3sim {

namespace {

// SimGrid loads some thirty libraries, which takes longer than most commands. So the code that uses it is a
// module, loaded on first use from the program's run path.
using MakeRates = decltype(&a3sim_make_simgrid_rates);

MakeRates load() {
  void* const module = dlopen(kSimGridModule, RTLD_NOW | RTLD_LOCAL);
  void* const make = module != nullptr ? dlsym(module, kMakeSimGridRates) : nullptr;
  if (make != nullptr) return reinterpret_cast<MakeRates>(make);
  throw RunError(fmt::format(
      "SimGrid cannot be loaded ({}): set network.backend=native, which shares bandwidth in the same way",
      dlerror()));
}

class SimGrid final : public NetworkBackend {
 public:
  std::unique_ptr<Network> create(const NetworkSpec& spec) const override {
    static const MakeRates kMake = load();
    return make_fluid("simgrid", spec, [&] { return std::unique_ptr<RateSolver>(kMake(spec)); });
  }
  bool takes_cables() const override { return true; }
};

A3SIM_REGISTER(NetworkBackend, "simgrid", "bandwidth shared by SimGrid, one network at a time", SimGrid);

}  // namespace

}  // namespace a3sim
