#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "models/routing/routing.h"
#include "sim/core/enum_names.h"

namespace a3sim {

// Where experts live from one checkpoint to the next.
enum class PlaceBy : std::uint8_t {
  kNumber,  // by number
  kLpt      // by their loads until the checkpoint, as many on each rank
};
constexpr auto names_of(PlaceBy) { return std::to_array<std::string_view>({"number", "lpt"}); }

// Longest processing time first (Graham, SIAM J. Appl. Math. 17, 1969), with equal counts: the busiest expert goes to
// the least busy rank that has a place left, ties to the lowest number. By place, of which each rank has
// `experts_per_rank`: which expert lives there; on one rank in order of their numbers.
std::vector<std::uint32_t> lpt_places(std::span<const double> loads, std::uint32_t experts_per_rank);

// The counts with experts numbered by their places.
RoutingCounts placed(const RoutingCounts& counts, std::span<const std::uint32_t> expert_at);

}  // namespace a3sim
