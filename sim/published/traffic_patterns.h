#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/cable_layout.h"

namespace a3sim {

// A transfer from one host of a layout to another.
struct HostFlow {
  std::uint32_t from, to;
  std::int64_t bytes;
};

// Runs flows that start together over a layout's cables, max-min fair, each host limited to `port` in each
// direction. Returns when the last byte of each flow leaves, in seconds.
std::vector<double> ends_of_flows(const CableLayout& layout, const RouteRule& rule, BytesPerSecond port,
                                  const std::vector<HostFlow>& flows);

// Pairs the hosts at random, anew for each pattern, as random bisections of MPI benchmarks do. Both hosts
// of a pair send at a time. Returns the mean rate of a pair as a part of the port's rate.
double effective_bisection(const CableLayout& layout, const RouteRule& rule, BytesPerSecond port,
                           std::uint32_t patterns, std::uint64_t seed);

// Returns the rate of a ring of racks, as a part of what its ports give: the first `devices` hosts of each rack of `rack` send
// to those of the same number in the next one, and the ring goes as fast as its slowest flow.
double ring_of_racks(const CableLayout& layout, const RouteRule& rule, BytesPerSecond port,
                     std::uint32_t rack, std::uint32_t devices);

// An expert-parallel exchange over nodes. A token's top-k experts are drawn uniformly, on at most `groups`
// nodes. Its row goes once to each of these nodes, over the cables of the device with the same number
// there, and on to the experts' devices by the node's own links.
struct NodeExchange {
  std::uint32_t nodes = 2, node = 8;  // number of nodes, and of devices per node
  std::uint32_t tokens = 4096;        // per device
  std::uint32_t experts = 256, top_k = 8;
  std::uint32_t groups = 0;  // most nodes that a token goes to; 0: all
  std::int64_t row = 7168;   // bytes
  std::uint64_t seed = 1;
};
struct NodeExchangeResult {
  double time = 0;         // seconds, of the slower of the two planes
  double between = 0;      // mean bytes that a device sends to other nodes
  double with_own = 0;     // the same with rows that stay in the node, as DeepEP's tests count
  double inside_time = 0;  // seconds that the node's own links alone need
};
NodeExchangeResult exchange_over_nodes(const NodeExchange& exchange, const CableLayout& layout,
                                       const RouteRule& rule, BytesPerSecond port, BytesPerSecond inside);

}  // namespace a3sim
