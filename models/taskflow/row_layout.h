#pragma once

#include <cstdint>
#include <vector>

#include "models/routing/routing.h"
#include "models/shape.h"
#include "models/taskflow/taskflow.h"

namespace a3sim {

// Cut i of n of some rows: all of the same size, rounded up;
// the last cuts take what is left, which may be nothing.
constexpr Rows equal_cut(Rows rows, std::uint32_t i, std::uint32_t n) {
  const std::uint64_t size = (std::uint64_t{rows.size()} + n - 1) / n;
  const auto at = [&](std::uint64_t cut) {
    return rows.begin + static_cast<std::uint32_t>(cut * size < rows.size() ? cut * size : rows.size());
  };
  return {at(i), at(std::uint64_t{i} + 1)};
}

// Where rows lie, for every rank: the sent layout (by global expert) and the received
// layout (by local expert, then source). A compiled schedule speaks of capacity rows;
// a run packs them: slot by slot, without gaps, in the same order. The map is
// monotone, so a range of capacity rows is a range of real rows, of no more rows.
class RowLayout {
 public:
  // Capacity and routing of one bucket. Throws InputError if a
  // count is above its capacity, and names the bucket needed.
  RowLayout(const MoeShape& shape, const RoutingCounts& capacity, const RoutingCounts& counts);
  // A layout whose counts are its capacities: pack() is the identity.
  RowLayout(const MoeShape& shape, const RoutingCounts& capacity) : RowLayout(shape, capacity, capacity) {}

  const MoeShape& shape() const { return shape_; }

  // Capacity rows of one slot, of a whole local expert, and of a whole rank.
  Rows sent_slot(std::uint32_t rank, std::uint32_t gexpert) const;
  Rows received_slot(std::uint32_t rank, std::uint32_t expert, std::uint32_t src) const;
  Rows received_expert(std::uint32_t rank, std::uint32_t expert) const;
  // The slot of the sent or received layout in which a capacity row of a rank lies: the global expert's, or the
  // local expert's times ep and the source's.
  std::uint32_t slot_of(Layout layout, std::uint32_t rank, std::uint32_t row) const;
  std::uint32_t sent_rows(std::uint32_t rank) const;
  std::uint32_t received_rows(std::uint32_t rank) const;

  // Partition p of P of a local expert's capacity rows: equal cuts, the last one takes what is left.
  Rows partition(std::uint32_t rank, std::uint32_t expert, std::uint32_t p, std::uint32_t partitions) const;

  // Real rows of a capacity range in a tensor of this layout.
  // Layouts without experts are returned as they are.
  Rows pack(Layout layout, std::uint32_t rank, Rows capacity) const;
  // Real rows of a whole tensor of this layout with `plain_rows` capacity rows.
  std::uint32_t real_rows(Layout layout, std::uint32_t rank, std::uint32_t plain_rows) const;

 private:
  // One rank's slots: prefix sums, a leading 0 and one entry a slot.
  struct Slots {
    std::vector<std::uint32_t> capacity, real;
    std::uint32_t pack(std::uint32_t row) const;
  };
  MoeShape shape_;
  std::vector<Slots> sent_, received_;
  bool identity_ = false;
};

}  // namespace a3sim
