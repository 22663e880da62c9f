#include "sim/network/cable_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "sim/core/error.h"

namespace a3sim {
namespace {

// Mixes bits well (the finaliser of SplitMix64), so that pairs of hosts and flows draw independent ways.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

std::uint32_t hashed_way(const RouteRule& rule, std::uint32_t from, std::uint32_t to, std::uint32_t flow,
                         std::uint32_t ways) {
  const std::uint64_t pair = std::uint64_t{from} << 32 | to;
  return static_cast<std::uint32_t>(mixed(mixed(mixed(rule.seed) ^ pair) + flow) % ways);
}

// Returns the numbers of the ways without a dead cable.
std::vector<std::uint32_t> living_ways(const CableLayout& layout, std::uint32_t from, std::uint32_t to,
                                       const std::vector<bool>& dead) {
  std::vector<std::uint32_t> living, cables;
  const std::uint32_t ways = layout.ways(from, to);
  for (std::uint32_t way = 0; way < ways; ++way) {
    cables.clear();
    if (!dead.empty()) layout.append_way(from, to, way, cables);
    if (std::ranges::none_of(cables, [&](std::uint32_t c) { return dead[c]; })) living.push_back(way);
  }
  if (living.empty())
    throw InputError(
        fmt::format("network: no way is left from host {} to host {}: each has a dead cable", from, to));
  return living;
}

}  // namespace

RouteRule read_route_rule(const Config& routes, std::string_view plane) {
  RouteRule rule;
  if (!routes.is_map(plane)) {
    rule.kind = routes.choice(plane, rule.kind);
    return rule;
  }
  const Config map = routes.map(plane);
  rule.kind = map.choice<RouteRule::Kind>("kind");
  if (rule.kind == RouteRule::Kind::kHash) {
    rule.seed = static_cast<std::uint64_t>(map.integer("seed", 0, std::int64_t{1} << 53, 1));
    rule.flows = static_cast<std::uint32_t>(map.integer("flows", 1, 1024, 1));
  }
  map.finish();
  return rule;
}

CablePath cable_path(const CableLayout& layout, std::uint32_t from, std::uint32_t to, const RouteRule& rule,
                     const std::vector<bool>& dead) {
  std::map<std::uint32_t, std::uint32_t> parts;  // by cable
  std::vector<std::uint32_t> cables;
  const auto add = [&](std::uint32_t way) {
    cables.clear();
    layout.append_way(from, to, way, cables);
    for (const std::uint32_t cable : cables) ++parts[cable];
  };
  const std::vector<std::uint32_t> ways = living_ways(layout, from, to, dead);
  std::uint32_t whole = 1;
  switch (rule.kind) {
    case RouteRule::Kind::kEven:
      whole = static_cast<std::uint32_t>(ways.size());
      for (const std::uint32_t way : ways) add(way);
      break;
    case RouteRule::Kind::kGiven:
      if (const std::uint32_t way = layout.given_way(from, to); std::ranges::binary_search(ways, way)) {
        add(way);
        break;
      }
      throw InputError(
          fmt::format("network: the topology's own way from host {} to host {} has a dead cable, "
                      "and routes 'given' know no other: take routes even or hash",
                      from, to));
    case RouteRule::Kind::kHash:
      whole = rule.flows;
      for (std::uint32_t flow = 0; flow < rule.flows; ++flow)
        add(ways[hashed_way(rule, from, to, flow, static_cast<std::uint32_t>(ways.size()))]);
      break;
  }
  CablePath path;
  for (const auto& [cable, count] : parts) {
    const std::uint32_t common = std::gcd(count, whole);
    path.push_back({cable, count / common, whole / common});
  }
  return path;
}

}  // namespace a3sim
