#include "sim/study/faults/port_fault.h"
#include "sim/study/faults/simple_fault.h"

namespace a3sim {
namespace {

class PortFault final : public FaultKind {
 public:
  std::string_view example() const override {
    return "{kind: port, ranks: [5], plane: hccs, side: egress, factor: 0.1, period: 4 ms, duty: 30 %}";
  }
  std::unique_ptr<Fault> read(const Config& entry, const FaultSite& site) const override {
    LinkDisturbances::Port port = read_port(entry, site);
    port.factor = read_rate_factor(entry);
    return std::make_unique<SimpleFault>([=](const SimpleFault& fault, std::uint32_t, StepConditions& c) {
      for (const std::uint32_t rank : fault.ranks) {
        LinkDisturbances::Port of = port;
        of.rank = rank;
        c.links.ports.push_back(of);
      }
    });
  }
};

A3SIM_REGISTER(FaultKind, "port", "ports give a part of their rate, always or in every period for a time",
               PortFault);

}  // namespace
}  // namespace a3sim
