#pragma once

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "sim/core/closest.h"
#include "sim/study/faults/fault.h"

namespace a3sim {

// The plane that an entry names; kNone: all of them.
inline std::uint32_t read_plane(const Config& entry, const FaultSite& site) {
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

// `plane`, `side`, and when: `period` and `duty`.
inline LinkDisturbances::Port read_port(const Config& entry, const FaultSite& site) {
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

}  // namespace a3sim
