#pragma once

#include <algorithm>

#include "models/taskflow/row_layout.h"

namespace a3sim {

// The rows of one put: part of a (source, local expert of a destination) slot, within one partition of that
// expert.
struct Piece {
  Rows sent;            // in the source's sent layout
  Rows received;        // in the destination's received layout
  std::uint32_t chunk;  // index among the slot's pieces
  std::uint32_t tile;   // index among those of the partition
};

// Calls `use(piece)` for the pieces of a slot in partition p of P, in order. Slots are cut every `chunk` rows
// (positive) and at partition boundaries, so Permute, Dispatch and Combine see the same pieces.
template <class Use>
void for_each_piece(const RowLayout& layout, std::uint32_t src, std::uint32_t dst, std::uint32_t expert,
                    std::uint32_t p, std::uint32_t partitions, std::uint32_t chunk, Use&& use) {
  const Rows slot = layout.received_slot(dst, expert, src);
  // The only partition holds the slot, and need not be looked up among another rank's rows.
  const auto cut = [&](std::uint32_t q) {
    return partitions == 1 ? slot : layout.partition(dst, expert, q, partitions);
  };
  const Rows last = cut(p);
  if (std::max(slot.begin, last.begin) >= std::min(slot.end, last.end)) return;
  const std::uint32_t gexpert = dst * layout.shape().experts_per_rank + expert;
  const std::uint32_t sent_begin = layout.sent_slot(src, gexpert).begin;
  std::uint32_t number = 0;
  std::uint32_t first = p;  // the first partition with rows of the slot
  while (first > 0 && cut(first).begin > slot.begin) --first;
  for (std::uint32_t q = first; q <= p; ++q) {
    const Rows partition = cut(q);
    const std::uint32_t end = std::min(slot.end, partition.end);
    std::uint32_t begin = std::max(slot.begin, partition.begin);
    for (std::uint32_t tile = 0; begin < end; ++tile, ++number) {
      const std::uint32_t left_of_chunk = chunk - (begin - slot.begin) % chunk;
      const Rows received{begin, begin + std::min(left_of_chunk, end - begin)};
      if (q == p) {
        use(Piece{{sent_begin + received.begin - slot.begin, sent_begin + received.end - slot.begin},
                  received,
                  number,
                  tile});
      }
      begin = received.end;
    }
  }
}

}  // namespace a3sim
