#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/network.h"

namespace a3sim {

// What goes from one port to another one: over which cables, each with its part of the bytes.
struct PortPair {
  std::uint32_t from, to;  // egress port, ingress port
  CablePath path;
};

// The cables that can hold flows up, and over which of them each pair of ports goes.
struct ReducedCables {
  std::vector<BytesPerSecond> cables;
  std::vector<CablePath> paths;     // by number; path 0 has no cables
  std::vector<std::uint32_t> path;  // by pair: its number
  std::vector<std::uint32_t>
      represented;  // by cable of before: the cable that stands for it; kNone: it cannot bind
};

// Leaves out cables that can bind no flow, which changes no rate:
//   - all that the ports can send over a cable, or receive from it, is no more than its capacity;
//   - another cable of the same or a smaller capacity takes the same parts of the same pairs.
// `capacities` are those before; `egress` and `ingress` the most that each port ever takes. A cable that is `kept` stays:
// its capacity may change.
ReducedCables reduce_cables(const std::vector<BytesPerSecond>& capacities, const std::vector<PortPair>& pairs,
                            const std::vector<BytesPerSecond>& egress,
                            const std::vector<BytesPerSecond>& ingress, const std::vector<bool>& kept = {});

}  // namespace a3sim
