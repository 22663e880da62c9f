#pragma once

#include <cstdint>
#include <vector>

#include "models/routing/routing.h"
#include "models/shape.h"
#include "models/taskflow/taskflow.h"

namespace a3sim {

// Returns part i of `rows` cut into n. All parts have the same size, rounded up, except the last ones: these
// have the rest, which may be empty.
constexpr Rows equal_cut(Rows rows, std::uint32_t i, std::uint32_t n) {
  const std::uint64_t size = (std::uint64_t{rows.size()} + n - 1) / n;
  const auto at = [&](std::uint64_t cut) {
    return rows.begin + static_cast<std::uint32_t>(cut * size < rows.size() ? cut * size : rows.size());
  };
  return {at(i), at(std::uint64_t{i} + 1)};
}

// Returns the number of partitions of an expert's rows if each has those of `sources` source ranks.
constexpr std::uint32_t partitions_of_sources(std::uint32_t ranks, std::uint32_t sources) {
  return (ranks + sources - 1) / sources;
}

// Maps rows on every rank: in the sent layout (by global expert) and the received layout (by local expert,
// then source). A compiled schedule refers to capacity rows. A run packs them slot by slot, without gaps, in
// the same order. The map is monotone, so a range of capacity rows becomes a range of real rows that is not
// larger.
class RowLayout {
 public:
  // Takes the capacity and the routing of one bucket. Throws InputError that names the required bucket if a
  // count exceeds its capacity.
  RowLayout(const MoeShape& shape, const RoutingCounts& capacity, const RoutingCounts& counts);
  // Makes a layout whose counts are its capacities: pack() is the identity.
  RowLayout(const MoeShape& shape, const RoutingCounts& capacity) : RowLayout(shape, capacity, capacity) {}

  // Makes partitions end where the rows of `sources` source ranks end, for experts with the number of
  // partitions that follows from that. 0, the default: all partitions are equal cuts.
  void cut_at_sources(std::uint32_t sources) { sources_ = sources; }

  const MoeShape& shape() const { return shape_; }

  // Return the capacity rows of a slot, and of a whole local expert.
  Rows sent_slot(std::uint32_t rank, std::uint32_t gexpert) const;
  Rows received_slot(std::uint32_t rank, std::uint32_t expert, std::uint32_t src) const;
  Rows received_expert(std::uint32_t rank, std::uint32_t expert) const;
  // Returns the slot that contains a capacity row of a rank: the global expert in the sent layout, local
  // expert * ep + source in the received layout.
  std::uint32_t slot_of(Layout layout, std::uint32_t rank, std::uint32_t row) const;
  std::uint32_t sent_rows(std::uint32_t rank) const;
  std::uint32_t received_rows(std::uint32_t rank) const;

  // Returns partition p of P of a local expert's capacity rows: an equal cut (the last one has the rest), or
  // the rows of some sources.
  Rows partition(std::uint32_t rank, std::uint32_t expert, std::uint32_t p, std::uint32_t partitions) const;

  // Returns the real rows of a capacity range in a tensor of this layout. Ranges in layouts without experts
  // are unchanged.
  Rows pack(Layout layout, std::uint32_t rank, Rows capacity) const;
  // Returns the number of real rows of a whole tensor of this layout that has `plain_rows` capacity rows.
  std::uint32_t real_rows(Layout layout, std::uint32_t rank, std::uint32_t plain_rows) const;

 private:
  // Prefix sums over the slots of one rank, with a leading 0.
  struct Slots {
    std::vector<std::uint32_t> capacity, real;
    std::uint32_t pack(std::uint32_t row) const;
  };
  MoeShape shape_;
  std::vector<Slots> sent_, received_;
  std::uint32_t sources_ = 0;
  bool identity_ = false;
};

}  // namespace a3sim
