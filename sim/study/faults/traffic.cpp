#include "sim/study/faults/port_fault.h"
#include "sim/study/faults/simple_fault.h"

namespace a3sim {
namespace {

class TrafficFault final : public FaultKind {
 public:
  std::string_view example() const override {
    return "{kind: traffic, ranks: [4], plane: hccs, side: ingress, rate: 60 GB/s}";
  }
  std::unique_ptr<Fault> read(const Config& entry, const FaultSite& site) const override {
    LinkDisturbances::Port port = read_port(entry, site);
    port.taken = entry.rate("rate");
    return std::make_unique<SimpleFault>([=](const SimpleFault& fault, std::uint32_t, StepConditions& c) {
      for (const std::uint32_t rank : fault.ranks) {
        LinkDisturbances::Port of = port;
        of.rank = rank;
        c.links.ports.push_back(of);
      }
    });
  }
};

A3SIM_REGISTER(FaultKind, "traffic", "others take a rate from ports", TrafficFault);

}  // namespace
}  // namespace a3sim
