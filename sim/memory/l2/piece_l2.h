#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/memory/l2/l2.h"

namespace a3sim {

// The L2 as pieces of tensors: L2Tensor::piece_rows rows of 512 bytes each, on one grid per tensor. A piece
// knows which of its rows are present and which are dirty, and is evicted as a whole. Pieces compete for the
// whole L2 (no sets), by the same policies. An access takes constant time per piece and allocates nothing. A
// policy that handles bands and columns as a whole (LRU) takes constant time if an access is as wide as its
// tensor or as high as a part.
class PieceL2 : public L2 {
 public:
  bool knows_producers() const override { return true; }
  // Counts by piece.
  std::uint64_t reused(OpId producer, OpId consumer) const override {
    return reused_[index(consumer) * ops_ + index(producer)];
  }
  // Returns the bytes present.
  std::uint64_t used() const { return used_; }
  // Returns them by tensor. Looks at every piece: for records of what it holds, not for runs.
  virtual std::vector<std::uint64_t> held() const = 0;
  // Returns the number of pieces visited since the start.
  std::uint64_t touched() const { return touched_; }

 protected:
  explicit PieceL2(std::uint32_t ops) : L2(ops), ops_(ops), reused_(std::size_t{ops} * ops) {}
  void forget_more() override { reused_.assign(reused_.size(), 0); }

  std::uint32_t ops_;
  std::vector<std::uint64_t> reused_;  // by consumer, then producer
  std::uint64_t used_ = 0;
  std::uint64_t touched_ = 0;
};

// Returns the most host memory, in bytes, that the pieces of these tensors can take, before any is present.
double piece_l2_memory(std::span<const L2Tensor> tensors);

// Throws InputError if a tensor has no piece_rows, the L2 is smaller than a piece, or there are more pieces
// than numbers.
std::unique_ptr<PieceL2> make_piece_l2(const L2Spec& spec, std::span<const L2Tensor> tensors,
                                       std::uint32_t ops);

}  // namespace a3sim
