#include "sim/study/faults/simple_fault.h"

namespace a3sim {
namespace {

class LaunchFault final : public FaultKind {
 public:
  std::string_view example() const override { return "{kind: launch, ranks: all, add: 400 us, spread: 1.0}"; }
  std::unique_ptr<Fault> read(const Config& entry, const FaultSite&) const override {
    constexpr double kMostSpread = 3;
    const Duration add = entry.duration("add");
    const double spread = entry.number("spread", 0, kMostSpread, 0);
    return std::make_unique<SimpleFault>([=](const SimpleFault& fault, std::uint32_t, StepConditions& c) {
      for (const std::uint32_t rank : fault.ranks)
        c.hosts[rank].slow.push_back({add, spread, fault.seed + (std::uint64_t{rank} << 32)});
    });
  }
};

A3SIM_REGISTER(FaultKind, "launch", "the host's launches take longer", LaunchFault);

}  // namespace
}  // namespace a3sim
