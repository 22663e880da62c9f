#pragma once

#include <cstdint>

#include "models/operators/data.h"
#include "models/operators/tile.h"

// Rows that cross the links once however many experts of a rank they go to: for the first of these, in the order of the
// experts. All rows here are of the received layout.
namespace a3sim {

// Returns the part of the rows of an expert on `rank` from source `src` that no earlier expert of the rank has too. The
// counts do not say which these are: a source's tokens are assumed to choose their experts independently of one another.
double first_part(const RowLayout& layout, std::uint32_t rank, std::uint32_t expert, std::uint32_t src);

// Returns on how many of the rank's later experts a token is that is on this one, by the same assumption.
double later_experts(const RowLayout& layout, std::uint32_t rank, std::uint32_t expert, std::uint32_t src);

// Returns how many of these real rows, which are of one slot, cross the links, by the same assumption. All parts of a slot
// add up to the whole.
std::uint32_t once_rows(const RowLayout& layout, std::uint32_t rank, Rows capacity);

// A row as the routing has it.
struct RoutedRow {
  std::uint32_t token, first;  // first: the real row that crosses the links for it
  float weight;                // the router's
};
RoutedRow routed_row(const RowLayout& layout, const Data& data, std::uint32_t rank, std::uint32_t expert,
                     std::uint32_t src, std::uint32_t offset);

// Calls `use(expert, src, real rows of the slot)` for each slot of a rank that has some of these real rows.
template <class Use>
void for_each_slot(const RowLayout& layout, std::uint32_t rank, Rows rows, Use&& use) {
  const MoeShape& shape = layout.shape();
  for (std::uint32_t expert = 0; expert < shape.experts_per_rank; ++expert) {
    for (std::uint32_t src = 0; src < shape.ep; ++src) {
      const Rows slot = layout.pack(Layout::kReceived, rank, layout.received_slot(rank, expert, src));
      if (slot.begin < rows.end && rows.begin < slot.end) use(expert, src, slot);
    }
  }
}

}  // namespace a3sim
