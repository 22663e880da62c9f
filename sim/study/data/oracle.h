#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/graph/graph.h"
#include "sim/core/enum_names.h"
#include "sim/study/data/tensors.h"

namespace a3sim {

struct DataCase;

// What passes are compared with.
enum class Oracle : std::uint8_t { kForward, kBackward, kSwigluAdd, kGemm, kWhole };
constexpr auto names_of(Oracle) {
  return std::to_array<std::string_view>(
      {"plain loops over tokens and experts", "plain loops over tokens and experts", "plain loops over rows",
       "plain loops over rows", "its operators run whole, one after the other"});
}

// The plain loops for what a graph computes, however it is split; for a graph that is none of theirs, its
// operators, each unsplit, in topological order.
Oracle oracle_of(const Graph& graph, const MoeShape& shape);

// What a pass of a case should give. `known` holds all external tensors of its passes until then.
Tensors expected_tensors(const DataCase& of, std::size_t pass, const Tensors& known);

}  // namespace a3sim
