#include "models/operators/once.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace a3sim {
namespace {

Rows slot_rows(const RowLayout& layout, std::uint32_t rank, std::uint32_t expert, std::uint32_t src) {
  return layout.pack(Layout::kReceived, rank, layout.received_slot(rank, expert, src));
}

// How probable it is that a token that has chosen one expert has chosen this one, too.
double chosen_too(const RowLayout& layout, std::uint32_t rank, std::uint32_t expert, std::uint32_t src) {
  const MoeShape& shape = layout.shape();
  if (shape.tokens == 0 || shape.top_k == 0) return 0;
  const double part = static_cast<double>(slot_rows(layout, rank, expert, src).size()) / shape.tokens;
  return std::min(1.0, part * (shape.top_k - 1) / shape.top_k);
}

std::span<const SentRow> routed_slot(const RowLayout& layout, const Data& data, std::uint32_t rank,
                                     std::uint32_t expert, std::uint32_t src) {
  const std::uint32_t gexpert = rank * layout.shape().experts_per_rank + expert;
  const Rows rows = layout.pack(Layout::kSent, src, layout.sent_slot(src, gexpert));
  return std::span(data.sent[src]).subspan(rows.begin, rows.size());
}

}  // namespace

double first_part(const RowLayout& layout, std::uint32_t rank, std::uint32_t expert, std::uint32_t src) {
  double part = 1;
  for (std::uint32_t e = 0; e < expert; ++e) part *= 1 - chosen_too(layout, rank, e, src);
  return part;
}

double later_experts(const RowLayout& layout, std::uint32_t rank, std::uint32_t expert, std::uint32_t src) {
  double experts = 0;
  for (std::uint32_t e = expert + 1; e < layout.shape().experts_per_rank; ++e)
    experts += chosen_too(layout, rank, e, src);
  return experts;
}

std::uint32_t once_rows(const RowLayout& layout, std::uint32_t rank, Rows capacity) {
  const Rows rows = layout.pack(Layout::kReceived, rank, capacity);
  if (rows.empty()) return 0;
  const std::uint32_t slot = layout.slot_of(Layout::kReceived, rank, capacity.begin), ep = layout.shape().ep;
  const std::uint32_t begin = slot_rows(layout, rank, slot / ep, slot % ep).begin;
  const double part = first_part(layout, rank, slot / ep, slot % ep);
  const auto before = [&](std::uint32_t row) {
    return static_cast<std::uint32_t>(std::lround(part * (row - begin)));
  };
  return before(rows.end) - before(rows.begin);
}

RoutedRow routed_row(const RowLayout& layout, const Data& data, std::uint32_t rank, std::uint32_t expert,
                     std::uint32_t src, std::uint32_t offset) {
  const SentRow& own = routed_slot(layout, data, rank, expert, src)[offset];
  for (std::uint32_t e = 0; e < expert; ++e) {
    const std::span<const SentRow> slot = routed_slot(layout, data, rank, e, src);
    const auto found = std::ranges::lower_bound(slot, own.token, {}, &SentRow::token);
    if (found == slot.end() || found->token != own.token) continue;
    const auto at = static_cast<std::uint32_t>(found - slot.begin());
    return {own.token, slot_rows(layout, rank, e, src).begin + at, own.weight};
  }
  return {own.token, slot_rows(layout, rank, expert, src).begin + offset, own.weight};
}

}  // namespace a3sim
