#include "sim/experiment/step/parameter_buckets.h"

#include <algorithm>

namespace a3sim {

ChunkBuckets::ChunkBuckets(const StageLayout& layout, const std::vector<BlockTimes>& blocks,
                           std::uint32_t chunk, double least) {
  const std::vector<std::uint32_t>& kinds = layout.chunks[chunk];
  const std::uint32_t before = layout.blocks_before()[chunk];
  bool full = true;
  for (auto b = static_cast<std::uint32_t>(kinds.size()); b-- > 0;) {
    if (full) buckets_.push_back({before + b, before + b + 1, {}});
    ParameterBucket& bucket = buckets_.back();
    bucket.first = before + b;
    bucket.parameters.add(blocks[kinds[b]]);
    full = bucket.parameters.all() >= least;
  }
  std::ranges::reverse(buckets_);
}

std::size_t ChunkBuckets::of(std::uint32_t block) const {
  const auto after = std::ranges::upper_bound(buckets_, block, {}, &ParameterBucket::first);
  return static_cast<std::size_t>(after - buckets_.begin()) - 1;
}

}  // namespace a3sim
