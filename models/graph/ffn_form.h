#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/graph/graph.h"

namespace a3sim {

// The way in which rows reach their experts: their owners put them at once, or once ranks have exchanged
// counts, or the experts' ranks then fetch them.
enum class RowExchange : std::uint8_t { kPush, kCounted, kPull };
constexpr auto names_of(RowExchange) { return std::to_array<std::string_view>({"push", "counted", "pull"}); }

// The form of the graph of a MoE-FFN. All forms compute the same.
struct FfnForm {
  std::uint32_t batches = 1;  // micro-batches on the same weights
  std::uint32_t columns = 1;  // blocks of columns of the last product
  RowExchange dispatch = RowExchange::kPush;
};

// Returns a graph of one micro-batch in that form. Throws InputError if its columns do not divide evenly.
Graph in_form(const Graph& graph, const MoeShape& shape, const FfnForm& form);

}  // namespace a3sim
