#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/routing/routing.h"

namespace a3sim {

// The slots of a group for experts, of which some have a second copy.
struct ReplicaSlots {
  std::uint32_t ranks = 1;
  std::uint32_t slots = 1;  // of all ranks together; a multiple of the ranks, at least one for each expert
  std::uint32_t groups = 1, nodes = 1;  // of experts that stay on one node, if the nodes divide them
};

// Places experts and copies of the busiest ones as EPLB does (deepseek-ai/EPLB, rebalance_experts): groups are packed to
// nodes; on each node, the expert with the most rows per copy gets one more until no slot is free; copies are packed to
// ranks. Packing takes the heaviest first, to the lightest pack that has room. Ties go to the lowest number. Returns the
// expert in each slot; a rank has slots / ranks of them, one after another.
std::vector<std::uint32_t> eplb_slots(std::span<const double> loads, const ReplicaSlots& slots);

// Returns the counts by slot in place of expert: each source sends its rows of an expert to the copies in turn.
RoutingCounts by_slot(const RoutingCounts& counts, std::span<const std::uint32_t> expert_at);

// A copy of an expert's weights to a rank that has not had it.
struct ExpertCopy {
  std::uint32_t expert = 0, from = 0, to = 0;
  friend bool operator==(const ExpertCopy&, const ExpertCopy&) = default;
};
// Returns what must be copied from one placement to another one on the same ranks. Of several ranks that have an expert, the one
// that sends least sends it.
std::vector<ExpertCopy> copies_between(std::span<const std::uint32_t> before,
                                       std::span<const std::uint32_t> after, std::uint32_t ranks);

}  // namespace a3sim
