#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "models/routing/routing.h"
#include "sim/core/enum_names.h"

namespace a3sim {

// The order in which experts are placed on ranks between two checkpoints.
enum class PlaceBy : std::uint8_t {
  kNumber,  // in order of their numbers
  kLpt      // by their loads before the checkpoint, equally many per rank
};
constexpr auto names_of(PlaceBy) { return std::to_array<std::string_view>({"number", "lpt"}); }

// Places experts by longest processing time first (Graham, SIAM J. Appl. Math. 17, 1969) with equal counts:
// the busiest expert goes to the least busy rank with a free place, ties to the lowest number. Returns the
// expert at each place; a rank has `experts_per_rank` places, filled in order of expert numbers.
std::vector<std::uint32_t> lpt_places(std::span<const double> loads, std::uint32_t experts_per_rank);

// Returns the counts with experts renumbered by their places.
RoutingCounts placed(const RoutingCounts& counts, std::span<const std::uint32_t> expert_at);

}  // namespace a3sim
