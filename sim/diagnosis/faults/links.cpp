#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "sim/core/closest.h"
#include "sim/diagnosis/faults/fault.h"

// Faults of ports, in all planes or in one, and of paths between two ranks.
namespace a3sim {
namespace {

// Returns the plane that an entry names, or kNone for all planes.
std::uint32_t read_plane(const Config& entry, const FaultSite& site) {
  if (!entry.has("plane")) return kNone;
  const std::string name = entry.text("plane");
  const auto found = std::ranges::find(site.planes, name);
  if (found != site.planes.end()) {
    const auto plane = static_cast<std::uint32_t>(found - site.planes.begin());
    if (!site.used[plane])
      spdlog::warn("{}: no two ranks meet over plane '{}' here, so this changes nothing",
                   entry.mark("plane").text(), name);
    return plane;
  }
  entry.error("plane", fmt::format("no plane is called '{}'{}", name, suggestion(name, site.planes)));
  return kNone;
}

// Reads `plane`, `side`, `period` and `duty`.
LinkDisturbances::Port read_port(const Config& entry, const FaultSite& site) {
  LinkDisturbances::Port port;
  port.plane = read_plane(entry, site);
  const std::size_t side = entry.choice("side", {"egress", "ingress", "both"}, "both");
  port.egress = side != 1;
  port.ingress = side != 0;
  if (entry.has("period")) port.period = entry.duration("period", false);
  const double duty = read_share(entry, "duty", 1, 1);
  if (entry.has("duty") && !entry.has("period"))
    entry.error("duty", "needs a 'period', of which it is a part");
  port.on = Duration(static_cast<std::int64_t>(static_cast<double>(port.period.count()) * duty));
  return port;
}

Fault at_ports(LinkDisturbances::Port port) {
  return {[port](const Fault& fault, std::uint32_t, StepConditions& conditions) {
    for (const std::uint32_t rank : fault.ranks) conditions.links.ports.emplace_back(port).rank = rank;
  }};
}

Fault read_slow_port(const Config& entry, const FaultSite& site) {
  LinkDisturbances::Port port = read_port(entry, site);
  port.factor = read_rate_factor(entry);
  return at_ports(port);
}

Fault read_traffic(const Config& entry, const FaultSite& site) {
  LinkDisturbances::Port port = read_port(entry, site);
  port.taken = entry.rate("rate");
  return at_ports(port);
}

Fault read_resend(const Config& entry, const FaultSite& site) {
  LinkDisturbances::Resend resend;
  resend.plane = read_plane(entry, site);
  resend.chance = entry.number("chance", 0, 1);
  resend.timeout = entry.duration("timeout");
  return {[resend](const Fault& fault, std::uint32_t step, StepConditions& conditions) {
    for (const std::uint32_t rank : fault.ranks) {
      LinkDisturbances::Resend& added = conditions.links.resends.emplace_back(resend);
      added.rank = rank;
      added.seed = fault.seed + (std::uint64_t{step} << 24);
    }
  }};
}

Fault read_path(const Config& entry, const FaultSite& site) {
  const auto from = static_cast<std::uint32_t>(entry.integer("from", 0, site.ranks - 1));
  const auto to = static_cast<std::uint32_t>(entry.integer("to", 0, site.ranks - 1));
  if (entry.has("to") && from == to) entry.error("to", "a path leads to another rank than 'from'");
  const double factor = read_rate_factor(entry);
  Fault fault{
      [=](const Fault&, std::uint32_t, StepConditions& c) { c.links.paths.push_back({from, to, factor}); }};
  fault.links = {{from, to}};
  return fault;
}

// The plane may be omitted if only one has cables.
Fault read_cable(const Config& entry, const FaultSite& site) {
  if (site.cables.empty()) {  // a file that holds only faults is read without a job
    entry.text("plane", "");
    read_cable_damage(entry, nullptr);
    if (!site.planes.empty())
      entry.error("kind", "no plane has cables: network.topology says which there are");
    return {};
  }
  std::vector<std::string> names;
  for (const CablePlane& plane : site.cables) names.push_back(site.planes[plane.plane]);
  std::size_t place = 0;
  if (entry.has("plane") || names.size() > 1) {
    const auto name = entry.name("plane", "plane with cables", names);
    if (!name) return {};
    place = static_cast<std::size_t>(std::ranges::find(names, *name) - names.begin());
  }
  const CablePlane& plane = site.cables[place];
  const LinkDisturbances::Cable cable{plane.plane, read_cable_damage(entry, plane.layout.get())};
  Fault fault{[cable](const Fault&, std::uint32_t, StepConditions& c) { c.links.cables.push_back(cable); }};
  for (const std::uint32_t c : cable.damage.cables) fault.cables.push_back(plane.layout->cables()[c].name());
  return fault;
}

A3SIM_REGISTER(
    FaultKind, "cable",
    "cables between switches give a part of their rate; 0: they are dead, and routes go round them",
    FaultKind{"{kind: cable, cable: leaf3-spine1, factor: 0.1, period: 4 ms, duty: 30 %}", read_cable,
              false});
A3SIM_REGISTER(
    FaultKind, "port", "ports give a part of their rate, always or in every period for a time",
    FaultKind{"{kind: port, ranks: [5], plane: hccs, side: egress, factor: 0.1, period: 4 ms, duty: 30 %}",
              read_slow_port});
A3SIM_REGISTER(FaultKind, "resend", "puts lose their first packet, and wait until it is sent again",
               FaultKind{"{kind: resend, ranks: [2], plane: rdma, chance: 0.001, timeout: 33 ms}",
                         read_resend});
A3SIM_REGISTER(FaultKind, "traffic", "others take a rate from ports",
               FaultKind{"{kind: traffic, ranks: [4], plane: hccs, side: ingress, rate: 60 GB/s}",
                         read_traffic});
A3SIM_REGISTER(FaultKind, "path", "what goes from one rank to another goes slower",
               FaultKind{"{kind: path, from: 3, to: 6, factor: 0.2}", read_path, false});

}  // namespace
}  // namespace a3sim
