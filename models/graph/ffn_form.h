#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/graph/graph.h"

namespace a3sim {

// How rows reach their experts: their owners put them at once, or once the ranks have told one another how many they have,
// or the experts' ranks fetch them then.
enum class RowExchange : std::uint8_t { kPush, kCounted, kPull };
constexpr auto names_of(RowExchange) { return std::to_array<std::string_view>({"push", "counted", "pull"}); }

// How the graph of a MoE-FFN is laid out for a schedule. All forms compute the same.
struct FfnForm {
  std::uint32_t batches = 1;  // micro-batches on the same weights
  std::uint32_t columns = 1;  // blocks of columns of the last product
  RowExchange dispatch = RowExchange::kPush;
};

// Returns a graph of one micro-batch in that form. Throws InputError if its columns do not divide evenly.
Graph in_form(const Graph& graph, const MoeShape& shape, const FfnForm& form);

}  // namespace a3sim
