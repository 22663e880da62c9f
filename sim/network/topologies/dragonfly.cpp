#include <fmt/format.h>

#include "sim/network/cable_layout.h"

namespace a3sim {
namespace {

// A dragonfly: routers with hosts, fully connected within a group. Groups are fully connected, one cable per
// pair, whose ends are dealt to the routers in turn (Kim, Dally, Scott, Abts, "Technology-driven,
// highly-scalable dragonfly topology", ISCA 2008). Routes are minimal: to the router that has the cable to
// the other group, over the cable, and on to the host's router there.
class Dragonfly final : public CableLayout {
 public:
  struct Sizes {
    std::uint32_t groups, routers, hosts;  // routers per group, hosts per router
    BytesPerSecond rate;                   // of all cables
  };
  explicit Dragonfly(const Sizes& sizes) : sizes_(sizes) {
    const std::uint32_t routers = sizes.groups * sizes.routers;
    hosts_ = routers * sizes.hosts;
    for (std::uint32_t h = 0; h < hosts_; ++h) {
      const std::string host = fmt::format("host{}", h), router = router_name(h / sizes.hosts);
      cables_.push_back({host, router, "host-router", sizes.rate});
      cables_.push_back({router, host, "router-host", sizes.rate});
    }
    local_ = static_cast<std::uint32_t>(cables_.size());
    for (std::uint32_t from = 0; from < routers; ++from) {
      const std::uint32_t first = from / sizes.routers * sizes.routers;
      for (std::uint32_t to = first; to < first + sizes.routers; ++to)
        cables_.push_back({router_name(from), router_name(to), "router-router", sizes.rate});
    }
    global_ = static_cast<std::uint32_t>(cables_.size());
    for (std::uint32_t from = 0; from < sizes.groups; ++from) {
      for (std::uint32_t to = 0; to < sizes.groups; ++to)
        cables_.push_back(
            {router_name(gate(from, to)), router_name(gate(to, from)), "group-group", sizes.rate});
    }
  }
  std::uint32_t ways(std::uint32_t, std::uint32_t) const override { return 1; }
  std::uint32_t given_way(std::uint32_t, std::uint32_t) const override { return 0; }
  void append_way(std::uint32_t from, std::uint32_t to, std::uint32_t,
                  std::vector<std::uint32_t>& cables) const override {
    std::uint32_t router = from / sizes_.hosts;
    const std::uint32_t last = to / sizes_.hosts;
    const auto go_to = [&](std::uint32_t next) {
      if (next != router) cables.push_back(local_ + router * sizes_.routers + next % sizes_.routers);
      router = next;
    };
    cables.push_back(2 * from);
    const std::uint32_t group = router / sizes_.routers, other = last / sizes_.routers;
    if (group != other) {
      go_to(gate(group, other));
      cables.push_back(global_ + group * sizes_.groups + other);
      router = gate(other, group);
    }
    go_to(last);
    cables.push_back(2 * to + 1);
  }

 private:
  static std::string router_name(std::uint32_t router) { return fmt::format("router{}", router); }
  // Returns the router of a group that has the cable to another group.
  std::uint32_t gate(std::uint32_t group, std::uint32_t other) const {
    const std::uint32_t number = other < group ? other : other - (other > group ? 1 : 0);
    return group * sizes_.routers + number % sizes_.routers;
  }

  Sizes sizes_;
  std::uint32_t local_ = 0, global_ = 0;  // the first cable of each kind
};

// `{kind: dragonfly, groups: 9, routers: 4, hosts: 2, rate: 25 GB/s}`.
std::unique_ptr<CableLayout> read_dragonfly(const Config& config) {
  Dragonfly::Sizes sizes{};
  sizes.groups = static_cast<std::uint32_t>(config.integer("groups", 1, 4096));
  sizes.routers = static_cast<std::uint32_t>(config.integer("routers", 1, 4096));
  sizes.hosts = static_cast<std::uint32_t>(config.integer("hosts", 1, 4096));
  sizes.rate = config.rate("rate");
  const double routers = static_cast<double>(sizes.groups) * sizes.routers, hosts = routers * sizes.hosts;
  const double cables =
      2 * hosts + routers * sizes.routers + static_cast<double>(sizes.groups) * sizes.groups;
  if (hosts > kMostHosts || cables > kMostCables) {
    config.error("groups", fmt::format("{:.0f} hosts and {:.0f} cables, expected at most {} and {}", hosts,
                                       cables, kMostHosts, kMostCables));
    return nullptr;
  }
  return std::make_unique<Dragonfly>(sizes);
}

A3SIM_REGISTER(TopologyKind, "dragonfly", "groups of routers, joined in full, and so are the groups",
               TopologyKind{read_dragonfly});

}  // namespace
}  // namespace a3sim
