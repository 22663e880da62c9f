#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/enum_names.h"
#include "traces/import/chakra_graph.h"

namespace a3sim {

// The time of compute nodes: as recorded, or the machine's for their operations and bytes where they are given.
enum class ChakraCompute : std::uint8_t { kRecorded, kMachine };
constexpr auto names_of(ChakraCompute) { return std::to_array<std::string_view>({"recorded", "machine"}); }

struct ChakraPlace {
  std::uint32_t rank = 0, node = 0;  // node: its place in the rank's list
};

// Nodes that happen together: all of a collective, by rank; a send and its receive; or any other node alone.
struct ChakraEvent {
  std::vector<ChakraPlace> nodes;
  std::uint32_t group = 0;  // of a collective: index into ChakraPlan::groups
};

// The graphs of all ranks, joined where they exchange bytes.
struct ChakraPlan {
  ChakraGraph graph;
  std::vector<std::string> groups;          // names; the first is that of all ranks
  std::vector<std::uint32_t> destinations;  // of sends, sorted
  std::vector<std::vector<std::vector<std::uint32_t>>>
      after;  // by rank and node: places of the nodes it waits for
  std::vector<ChakraEvent> events;
  std::vector<std::uint32_t>
      order;          // events, each behind those that its nodes wait for; by time, as far as that goes
  bool named = true;  // names are few enough to tell operators apart
};

// Joins collectives of a group in their order on each rank, and sends with receives of the same two ranks and tag in
// theirs. Throws InputError with the nodes for: collectives that differ between ranks, members of a group without one, a
// send without a receive, other sizes at its two ends, unknown peers, and cycles.
ChakraPlan plan_chakra(ChakraGraph graph);

}  // namespace a3sim
