#pragma once

#include <cstdint>

#include "models/placement.h"
#include "models/taskflow/row_layout.h"
#include "scheduler/ssc/taskflow_view.h"

// Groups that turn. A group turns by p ranks if rank r + p does what rank r does, with all that it says of ranks
// p further round: rows that go to rank d and its experts go to rank d + p and its experts. Then the first p
// ranks stand for all: what one of them puts to rank d comes to rank d mod p, from as far round as it went.
namespace a3sim {

// The least number of ranks by which the ranks of a group may be turned, each pair as near afterwards as it was
// before. Divides `ranks`, and is `ranks` where there is none.
std::uint32_t least_turn(const Placement& placement, std::uint32_t ranks);

// The rows of a tensor of this layout on rank `rank` of a group that turns by `kept`, as they lie on the rank that
// stands for it. Throws InputError where that cannot be said.
Rows turned_back(const RowLayout& layout, Layout of, std::uint32_t rank, Rows rows, std::uint32_t kept);

// Tasks of a rank that stands for others: what it reaches on ranks from `kept` on it reaches on those that stand
// for them. Descriptors go on naming the ranks that are meant (`dst`).
void turn_back(Taskflow::Rank& rank, const RowLayout& layout, std::uint32_t kept);

}  // namespace a3sim
