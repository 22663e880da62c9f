#pragma once

#include <vector>

#include "sim/experiment/step/block_times.h"
#include "sim/experiment/step/layout.h"

namespace a3sim {

// Parameters on a die: those that all dies of a stage have, and experts'.
struct ParameterCounts {
  double dense = 0, expert = 0;
  double fp8 = 0;  // of all these, those that are multiplied in eight bits
  void add(const BlockTimes& block) {
    dense += block.dense_parameters;
    expert += block.expert_parameters;
    fp8 += block.fp8_parameters;
  }
  double all() const { return dense + expert; }
};

// Consecutive blocks of a chunk whose parameters are gathered, and whose gradients are added up, at once.
struct ParameterBucket {
  std::uint32_t first = 0, behind = 0;  // numbers of its blocks among those of the model
  ParameterCounts parameters;
};

// The buckets of a chunk, in the order of its blocks.
class ChunkBuckets {
 public:
  // Fills buckets from the chunk's last block on, as gradients come, until each has `least` parameters.
  ChunkBuckets(const StageLayout& layout, const std::vector<BlockTimes>& blocks, std::uint32_t chunk,
               double least);

  const std::vector<ParameterBucket>& all() const { return buckets_; }
  // Returns the number of the bucket that has a block of the chunk.
  std::size_t of(std::uint32_t block) const;

 private:
  std::vector<ParameterBucket> buckets_;
};

}  // namespace a3sim
