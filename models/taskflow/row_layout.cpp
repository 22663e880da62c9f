#include "models/taskflow/row_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr std::size_t kNamedOverflows = 4;

void check_dimensions(const MoeShape& shape, const RoutingCounts& counts, const char* what) {
  if (counts.ranks() == shape.ep && counts.experts() == shape.experts()) return;
  throw InputError(fmt::format("{} are for {} ranks and {} experts; the shape has {} and {}", what,
                               counts.ranks(), counts.experts(), shape.ep, shape.experts()));
}

void check_fits(const MoeShape& shape, const RoutingCounts& capacity, const RoutingCounts& counts) {
  std::string named;
  std::size_t over = 0;
  std::uint32_t needed = 0;
  for (std::uint32_t src = 0; src < shape.ep; ++src) {
    for (std::uint32_t expert = 0; expert < shape.experts(); ++expert) {
      const std::uint32_t count = counts.at(src, expert), room = capacity.at(src, expert);
      needed = std::max(needed, count);
      if (count <= room) continue;
      if (++over > kNamedOverflows) continue;
      named += fmt::format("{}source {}, expert {}: {} rows > capacity {}", named.empty() ? "" : "; ", src,
                           expert, count, room);
    }
  }
  if (over == 0) return;
  if (over > kNamedOverflows) named += fmt::format("; and {} more", over - kNamedOverflows);
  throw InputError(
      fmt::format("the routing does not fit the shape bucket ({}); it needs a bucket with capacity {} "
                  "or more for every source and expert",
                  named, needed));
}

std::vector<std::uint32_t> prefix_sums(std::size_t slots) {
  std::vector<std::uint32_t> sums;
  sums.reserve(slots + 1);
  sums.push_back(0);
  return sums;
}

}  // namespace

RowLayout::RowLayout(const MoeShape& shape, const RoutingCounts& capacity, const RoutingCounts& counts)
    : shape_(shape), identity_(&capacity == &counts || capacity == counts) {
  check_dimensions(shape, capacity, "capacities");
  check_dimensions(shape, counts, "counts");
  if (!identity_) check_fits(shape, capacity, counts);
  const std::size_t slots = shape.experts();
  constexpr std::uint32_t kMostRows = std::numeric_limits<std::uint32_t>::max();
  const auto add = [&](Slots& to, std::uint32_t src, std::uint32_t gexpert) {
    if (capacity.at(src, gexpert) > kMostRows - to.capacity.back()) {
      throw InputError(fmt::format("the capacities of a rank add up to more than {} rows", kMostRows));
    }
    to.capacity.push_back(to.capacity.back() + capacity.at(src, gexpert));
    to.real.push_back(to.real.back() + counts.at(src, gexpert));
  };
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    Slots& sent = sent_.emplace_back(Slots{prefix_sums(slots), prefix_sums(slots)});
    Slots& received = received_.emplace_back(Slots{prefix_sums(slots), prefix_sums(slots)});
    for (std::uint32_t gexpert = 0; gexpert < shape.experts(); ++gexpert) add(sent, rank, gexpert);
    for (std::uint32_t expert = 0; expert < shape.experts_per_rank; ++expert) {
      for (std::uint32_t src = 0; src < shape.ep; ++src) {
        add(received, src, rank * shape.experts_per_rank + expert);
      }
    }
  }
}

Rows RowLayout::sent_slot(std::uint32_t rank, std::uint32_t gexpert) const {
  const auto& sums = sent_[rank].capacity;
  return {sums[gexpert], sums[gexpert + 1]};
}

Rows RowLayout::received_slot(std::uint32_t rank, std::uint32_t expert, std::uint32_t src) const {
  const auto& sums = received_[rank].capacity;
  const std::size_t slot = std::size_t{expert} * shape_.ep + src;
  return {sums[slot], sums[slot + 1]};
}

Rows RowLayout::received_expert(std::uint32_t rank, std::uint32_t expert) const {
  const auto& sums = received_[rank].capacity;
  const std::size_t slot = std::size_t{expert} * shape_.ep;
  return {sums[slot], sums[slot + shape_.ep]};
}

std::uint32_t RowLayout::slot_of(Layout layout, std::uint32_t rank, std::uint32_t row) const {
  const auto& sums = (layout == Layout::kSent ? sent_ : received_)[rank].capacity;
  return static_cast<std::uint32_t>(std::upper_bound(sums.begin(), sums.end(), row) - sums.begin() - 1);
}

std::uint32_t RowLayout::sent_rows(std::uint32_t rank) const { return sent_[rank].capacity.back(); }

std::uint32_t RowLayout::received_rows(std::uint32_t rank) const { return received_[rank].capacity.back(); }

Rows RowLayout::partition(std::uint32_t rank, std::uint32_t expert, std::uint32_t p,
                          std::uint32_t partitions) const {
  if (sources_ > 0 && partitions > 1 && partitions == partitions_of_sources(shape_.ep, sources_)) {
    const std::uint32_t first = p * sources_, last = std::min(first + sources_, shape_.ep) - 1;
    return {received_slot(rank, expert, first).begin, received_slot(rank, expert, last).end};
  }
  return equal_cut(received_expert(rank, expert), p, partitions);
}

std::uint32_t RowLayout::Slots::pack(std::uint32_t row) const {
  const auto slot = static_cast<std::size_t>(std::upper_bound(capacity.begin(), capacity.end(), row) -
                                             capacity.begin() - 1);
  if (slot + 1 == capacity.size()) return real.back();
  return std::min(real[slot] + (row - capacity[slot]), real[slot + 1]);
}

Rows RowLayout::pack(Layout layout, std::uint32_t rank, Rows capacity) const {
  if (identity_ || (layout != Layout::kSent && layout != Layout::kReceived)) return capacity;
  const Slots& slots = layout == Layout::kSent ? sent_[rank] : received_[rank];
  return {slots.pack(capacity.begin), slots.pack(capacity.end)};
}

std::uint32_t RowLayout::real_rows(Layout layout, std::uint32_t rank, std::uint32_t plain_rows) const {
  if (layout == Layout::kSent) return sent_[rank].real.back();
  if (layout == Layout::kReceived) return received_[rank].real.back();
  return plain_rows;
}

}  // namespace a3sim
