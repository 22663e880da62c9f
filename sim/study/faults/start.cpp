#include "sim/study/faults/simple_fault.h"

namespace a3sim {
namespace {

class StartFault final : public FaultKind {
 public:
  std::string_view example() const override { return "{kind: start, ranks: [2], late: 3 ms}"; }
  std::unique_ptr<Fault> read(const Config& entry, const FaultSite&) const override {
    const Duration late = entry.duration("late");
    return std::make_unique<SimpleFault>([=](const SimpleFault& fault, std::uint32_t, StepConditions& c) {
      for (const std::uint32_t rank : fault.ranks) c.late[rank] += late;
    });
  }
};

A3SIM_REGISTER(FaultKind, "start", "ranks start later with a step than they could", StartFault);

}  // namespace
}  // namespace a3sim
