#pragma once

#include <cstdint>

#include "models/placement.h"
#include "models/taskflow/row_layout.h"
#include "scheduler/ssc/taskflow_view.h"

// In a periodic group, a few ranks represent all. A group turns by p ranks if rank r + p does what rank r
// does, with every rank that it refers to p ranks further: rows for rank d and its experts become rows for
// rank d + p and its experts. Then the first p ranks represent all: what one of them puts to rank d arrives
// at rank d mod p, from a source as many ranks before.
namespace a3sim {

// Returns the smallest number of ranks by which the group may turn so that each pair of ranks keeps its
// distance. It divides `ranks`, and equals `ranks` if the group is not periodic.
std::uint32_t least_turn(const Placement& placement, std::uint32_t ranks);

// Returns the rows of a representative that stand for these rows on rank `rank`, in a tensor of this layout,
// if the group turns by `kept`. Throws InputError if there are none.
Rows turned_back(const RowLayout& layout, Layout tensor_layout, std::uint32_t rank, Rows rows,
                 std::uint32_t kept);

// Redirects accesses of a rank among `first` to `first + kept` to these: their regions' ranks are counted from `first`.
// Descriptors still name the real ranks (`dst`). Row r of a plain tensor with as many rows as there are ranks is taken as that
// of rank r.
void turn_back(Taskflow::Rank& rank, const RowLayout& layout, std::uint32_t kept, std::uint32_t first = 0);

}  // namespace a3sim
