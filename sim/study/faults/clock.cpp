#include "sim/study/faults/simple_fault.h"

namespace a3sim {
namespace {

class ClockFault final : public FaultKind {
 public:
  std::string_view example() const override {
    return "{kind: clock, ranks: [3], factor: 0.9, steps: [40, 79]}";
  }
  std::unique_ptr<Fault> read(const Config& entry, const FaultSite&) const override {
    const double factor = read_rate_factor(entry);
    return std::make_unique<SimpleFault>([=](const SimpleFault& fault, std::uint32_t, StepConditions& c) {
      for (const std::uint32_t rank : fault.ranks) c.clock[rank] *= factor;
    });
  }
};

A3SIM_REGISTER(FaultKind, "clock", "ranks run at a part of their clock", ClockFault);

}  // namespace
}  // namespace a3sim
