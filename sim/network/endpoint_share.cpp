#include <algorithm>
#include <memory>

#include "sim/core/registry.h"
#include "sim/network/port_fluid.h"

namespace a3sim {

namespace {

// A network in which each port gives its flows equal shares, and a flow runs at the smallest of its two
// shares and its cap. Bandwidth that one flow leaves unused is not given to others. So a change concerns only
// flows at the same ports.
class EndpointShare final : public PortFluid {
 public:
  explicit EndpointShare(const NetworkSpec& spec) : PortFluid("endpoint-share", spec) {}

 private:
  void share(const std::vector<std::uint32_t>& touched) override {
    for (std::uint32_t changed : touched) {
      double used = 0;
      for (std::uint32_t c : port_at(changed).classes) {
        update(c);
        used += class_at(c).rate * static_cast<double>(class_at(c).flows.size());
      }
      port_at(changed).used = used;
    }
  }

  void update(std::uint32_t c) {
    const Class& changed = class_at(c);
    const auto part = [&](std::uint32_t p) { return port_at(p).capacity / port_at(p).flows; };
    const double rate = std::min({changed.cap, part(changed.egress), part(changed.ingress)});
    // Valid for a port that is not touched; the sum of a touched port is computed anew.
    const double more = (rate - changed.rate) * static_cast<double>(changed.flows.size());
    if (rate == changed.rate && !changed.stale) return;
    port_at(changed.egress).used += more;
    port_at(changed.ingress).used += more;
    set_rate(c, rate);
  }
};

class EndpointShareBackend final : public NetworkBackend {
 public:
  std::unique_ptr<Network> create(const NetworkSpec& spec) const override {
    return std::make_unique<EndpointShare>(spec);
  }
};

A3SIM_REGISTER(NetworkBackend, "endpoint-share", "even shares at both ports: for large groups",
               EndpointShareBackend);

}  // namespace

}  // namespace a3sim
