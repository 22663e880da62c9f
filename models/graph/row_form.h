#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/graph/ffn_form.h"

namespace a3sim {

// How often a row crosses the links: once for each of its experts, or once to each rank that has some of them
// (and each expert's result home by itself), or once to each rank and their sum once home.
enum class RowCrossing : std::uint8_t { kByExpert, kOnceThere, kOnce };
constexpr auto names_of(RowCrossing) {
  return std::to_array<std::string_view>({"by_expert", "once_there", "once"});
}

// The mover of an operator's rows between ranks: vector workers, the device's copy engines, or the product
// whose result they are.
enum class RowMover : std::uint8_t { kVector, kCopyEngine, kProduct };
constexpr auto names_of(RowMover) {
  return std::to_array<std::string_view>({"vector", "copy_engine", "product"});
}

// The mover of the operators whose names an entry fits (Dispatch*).
struct MoverChoice {
  std::string operators;
  RowMover mover = RowMover::kVector;
  friend bool operator==(const MoverChoice&, const MoverChoice&) = default;
};

// How the rows of a MoE-FFN move between ranks. All forms compute the same.
struct RowForm {
  RowCrossing rows = RowCrossing::kByExpert;
  std::vector<MoverChoice> movers{};
};

// Returns a graph of one micro-batch in these forms. Throws what in_form() throws, and InputError if a mover cannot
// move an operator's rows.
Graph in_form(const Graph& graph, const MoeShape& shape, const FfnForm& form, const RowForm& rows);

}  // namespace a3sim
