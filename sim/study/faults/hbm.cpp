#include "sim/study/faults/simple_fault.h"

namespace a3sim {
namespace {

class HbmFault final : public FaultKind {
 public:
  std::string_view example() const override {
    return "{kind: hbm, ranks: [3], factor: 0.7, steps: [40, 79]}";
  }
  std::unique_ptr<Fault> read(const Config& entry, const FaultSite&) const override {
    const double factor = read_rate_factor(entry);
    return std::make_unique<SimpleFault>([=](const SimpleFault& fault, std::uint32_t, StepConditions& c) {
      for (const std::uint32_t rank : fault.ranks) c.hbm[rank] *= factor;
    });
  }
};

A3SIM_REGISTER(FaultKind, "hbm", "ranks' HBM gives a part of its rates", HbmFault);

}  // namespace
}  // namespace a3sim
