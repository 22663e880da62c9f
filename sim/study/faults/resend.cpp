#include "sim/study/faults/port_fault.h"
#include "sim/study/faults/simple_fault.h"

namespace a3sim {
namespace {

class ResendFault final : public FaultKind {
 public:
  std::string_view example() const override {
    return "{kind: resend, ranks: [2], plane: rdma, chance: 0.001, timeout: 33 ms}";
  }
  std::unique_ptr<Fault> read(const Config& entry, const FaultSite& site) const override {
    LinkDisturbances::Resend resend;
    resend.plane = read_plane(entry, site);
    resend.chance = entry.number("chance", 0, 1);
    resend.timeout = entry.duration("timeout");
    return std::make_unique<SimpleFault>(
        [=](const SimpleFault& fault, std::uint32_t step, StepConditions& c) {
          for (const std::uint32_t rank : fault.ranks) {
            LinkDisturbances::Resend of = resend;
            of.rank = rank;
            of.seed = fault.seed + (std::uint64_t{step} << 24);
            c.links.resends.push_back(of);
          }
        });
  }
};

A3SIM_REGISTER(FaultKind, "resend", "puts lose their first packet, and wait until it is sent again",
               ResendFault);

}  // namespace
}  // namespace a3sim
