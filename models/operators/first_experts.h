#pragma once

#include <vector>

#include "models/operators/tile.h"

namespace a3sim {

// Returns the regions of a tensor of sent rows that hold the rows for the first `experts` experts of each rank.
inline std::vector<Region> rows_of_first_experts(const FillContext& context, TensorId sent,
                                                 std::uint32_t experts) {
  std::vector<Region> regions;
  const std::uint32_t rank = index(context.rank), each = context.shape.experts_per_rank;
  for (std::uint32_t first = 0; first < context.shape.experts(); first += each) {
    const Rows rows{context.layout.sent_slot(rank, first).begin,
                    context.layout.sent_slot(rank, first + experts - 1).end};
    if (!rows.empty()) regions.push_back(whole(sent, context.rank, rows));
  }
  return regions;
}

}  // namespace a3sim
