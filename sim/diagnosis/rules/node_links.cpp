#include "sim/diagnosis/rules/node_links.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace a3sim {
namespace {

// One side of the ports of a node.
struct NodeSide {
  std::uint32_t node = 0;
  bool egress = false;
};

bool is_on_side(const SlowLink& link, const NodeSide& side, std::span<const std::uint32_t> nodes) {
  if (link.kind == SlowLink::Kind::kPath) {
    const std::uint32_t own = side.egress ? link.from : link.to, other = side.egress ? link.to : link.from;
    return nodes[own] == side.node && nodes[other] != side.node;
  }
  return link.kind == SlowLink::Kind::kPorts && (side.egress ? link.egress : link.ingress) &&
         std::ranges::all_of(link.ranks, [&](std::uint32_t r) { return nodes[r] == side.node; });
}

// Returns the ranks of a node whose transfers with other nodes were seen.
std::set<std::uint32_t> seen_of(const NodeSide& side, std::span<const std::uint32_t> nodes,
                                const LinkRates& rates) {
  std::set<std::uint32_t> seen;
  for (std::uint32_t own = 0; own < nodes.size(); ++own)
    for (std::uint32_t other = 0; other < nodes.size() && nodes[own] == side.node; ++other)
      if (nodes[other] != side.node &&
          !std::isnan(side.egress ? rates.cells[own][other] : rates.cells[other][own]))
        seen.insert(own);
  return seen;
}

// Returns the ports of a node's side, if slow links end at all of its ranks; otherwise one without ranks. Says in
// `joined` which links these are.
SlowLink ports_of(const NodeSide& side, std::span<const std::uint32_t> nodes, const LinkRates& rates,
                  const std::vector<SlowLink>& links, std::vector<bool>& joined) {
  constexpr double kAlike = 2;  // times the rate of the slowest
  std::set<std::uint32_t> slow, others;
  SlowLink ports;
  bool port = false;
  double fastest = 0;
  joined.assign(links.size(), false);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const SlowLink& link = links[i];
    if (!is_on_side(link, side, nodes)) continue;
    joined[i] = true;
    ports.factor = std::min(ports.factor, link.factor);
    fastest = std::max(fastest, link.factor);
    if (!ports.longest || (link.longest && link.longest->length() > ports.longest->length()))
      ports.longest = link.longest;
    if (link.kind == SlowLink::Kind::kPorts) {
      port = true;
      slow.insert(link.ranks.begin(), link.ranks.end());
      ports.egress |= link.egress;
      ports.ingress |= link.ingress;
    } else {
      slow.insert(side.egress ? link.from : link.to);
      others.insert(side.egress ? link.to : link.from);
    }
  }
  const auto size = static_cast<std::size_t>(std::ranges::count(nodes, side.node));
  const bool whole = slow == seen_of(side, nodes, rates) && slow.size() >= 2 && 2 * slow.size() >= size;
  if (!whole || (!port && others.size() < 2) || fastest > kAlike * ports.factor) return {};
  (side.egress ? ports.egress : ports.ingress) = true;
  for (std::uint32_t r = 0; r < nodes.size(); ++r)
    if (nodes[r] == side.node) ports.ranks.push_back(r);
  return ports;
}

}  // namespace

void join_nodes(std::span<const std::uint32_t> nodes, const LinkRates& rates, std::vector<SlowLink>& links) {
  const std::set<std::uint32_t> all(nodes.begin(), nodes.end());
  if (nodes.size() != rates.cells.size() || all.size() < 2) return;
  for (const std::uint32_t node : all) {
    for (const bool egress : {true, false}) {
      std::vector<bool> joined;
      SlowLink ports = ports_of({node, egress}, nodes, rates, links, joined);
      if (ports.ranks.empty() || std::ranges::count(joined, true) < 2) continue;
      std::vector<SlowLink> rest{std::move(ports)};
      for (std::size_t i = 0; i < links.size(); ++i)
        if (!joined[i]) rest.push_back(std::move(links[i]));
      links = std::move(rest);
    }
  }
}

}  // namespace a3sim
