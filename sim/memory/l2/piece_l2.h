#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/memory/l2/l2.h"

namespace a3sim {

// The L2 as pieces of tensors: L2Tensor::piece_rows rows of 512 bytes each, on one
// grid a tensor. A piece knows which of its rows are present and which are dirty,
// and is evicted as a whole. Pieces are replaced among all of the L2 (no sets), by
// the same policies. An access costs a constant time a piece, and allocates nothing;
// a policy that takes bands and columns as one (LRU) has it in constant time where it
// is as wide as its tensor, or as high as a part.
class PieceL2 : public L2 {
 public:
  bool knows_producers() const override { return true; }
  // Counted by piece.
  std::uint64_t reused(OpId producer, OpId consumer) const override {
    return reused_[index(consumer) * ops_ + index(producer)];
  }
  // Bytes present.
  std::uint64_t used() const { return used_; }
  // Pieces looked at since the start.
  std::uint64_t touched() const { return touched_; }

 protected:
  explicit PieceL2(std::uint32_t ops) : L2(ops), ops_(ops), reused_(std::size_t{ops} * ops) {}
  void forget_more() override { reused_.assign(reused_.size(), 0); }

  std::uint32_t ops_;
  std::vector<std::uint64_t> reused_;  // by consumer, then producer
  std::uint64_t used_ = 0;
  std::uint64_t touched_ = 0;
};

// Bytes of this machine's memory that the pieces of these tensors take at most, told before any is there.
double piece_l2_memory(std::span<const L2Tensor> tensors);

// Throws InputError if a tensor's piece_rows is none, the L2 is smaller than a piece, or there are more
// pieces than numbers.
std::unique_ptr<PieceL2> make_piece_l2(const L2Spec& spec, std::span<const L2Tensor> tensors,
                                       std::uint32_t ops);

}  // namespace a3sim
