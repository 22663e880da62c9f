#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/network.h"

namespace a3sim {

// The route from one port to another: its cables, each with its share of the bytes.
struct PortPair {
  std::uint32_t from, to;  // egress port, ingress port
  CablePath path;
};

// The cables that can hold flows up, and the path of each pair of ports over them.
struct ReducedCables {
  std::vector<BytesPerSecond> cables;
  std::vector<CablePath> paths;     // by number; path 0 has no cables
  std::vector<std::uint32_t> path;  // by pair of ports: index into `paths`
  // By original cable: the cable that represents it; kNone: it cannot limit flows.
  std::vector<std::uint32_t> represented;
};

// Leaves out cables that never limit a flow, which changes no rate:
//   - the ports that use the cable cannot exceed its capacity, as senders or as receivers;
//   - another cable of the same or a smaller capacity carries the same parts of the same pairs.
// `capacities` are those of the original cables, `egress` and `ingress` the most that each port ever carries.
// Cables marked in `kept` stay, since their capacities may change.
ReducedCables reduce_cables(const std::vector<BytesPerSecond>& capacities, const std::vector<PortPair>& pairs,
                            const std::vector<BytesPerSecond>& egress,
                            const std::vector<BytesPerSecond>& ingress, const std::vector<bool>& kept = {});

}  // namespace a3sim
