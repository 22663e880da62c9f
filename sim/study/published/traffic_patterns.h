#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/cable_layout.h"

namespace a3sim {

// Bytes from one host to another one of a layout.
struct HostFlow {
  std::uint32_t from, to;
  std::int64_t bytes;
};

// Runs flows that start together over a layout's cables, max-min fair, each host at most at `port` each way. Returns when
// each one's last byte leaves, in seconds.
std::vector<double> ends_of_flows(const CableLayout& layout, const RouteRule& rule, BytesPerSecond port,
                                  const std::vector<HostFlow>& flows);

// Each host exchanges bytes with another one, drawn anew for each of so many patterns, both ways at a time, as random
// bisections of MPI benchmarks do. Returns the mean over pairs and patterns of what a pair gets, as a part of the
// port's rate.
double effective_bisection(const CableLayout& layout, const RouteRule& rule, BytesPerSecond port,
                           std::uint32_t patterns, std::uint64_t seed);

// An expert-parallel exchange over nodes: a token's top-k experts are drawn uniformly, of `groups` nodes at most; its row goes
// once to each node that has some, over the cables of the device with the same number there, and on to the devices of
// these experts by the node's own links.
struct NodeExchange {
  std::uint32_t nodes = 2, node = 8;  // nodes, and devices of one
  std::uint32_t tokens = 4096;        // a device
  std::uint32_t experts = 256, top_k = 8;
  std::uint32_t groups = 0;  // nodes that a token may go to; 0: all
  std::int64_t row = 7168;   // bytes
  std::uint64_t seed = 1;
};
struct NodeExchangeResult {
  double time = 0;         // seconds: the slower of the two planes
  double between = 0;      // bytes a device sends to other nodes, in the mean
  double with_own = 0;     // the same with rows that stay in the device's node, as DeepEP's tests count
  double inside_time = 0;  // seconds on the node's own links alone
};
NodeExchangeResult exchange_over_nodes(const NodeExchange& exchange, const CableLayout& layout,
                                       const RouteRule& rule, BytesPerSecond port, BytesPerSecond inside);

}  // namespace a3sim
