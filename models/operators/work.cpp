#include "models/operators/work.h"

#include "models/taskflow/block_grid.h"

namespace a3sim {

void Work::clear() {
  kind = WorkKind::kNothing;
  gemms.clear();
  share = 0;
  shares = 1;
  tiling = {};
  dtype = DataType::kBf16;
  a = b = c = TensorId{};
  a_transposed = b_transposed = zero_fill = false;
  ops = {};
  streams.clear();
  dst = RankId{};
  put_bytes = 0;
}

std::uint64_t Work::stream_bytes(bool write) const {
  std::uint64_t bytes = 0;
  for (const Stream& stream : streams) {
    if (stream.write == write) bytes += stream.bytes;
  }
  return bytes;
}

std::uint64_t Work::macs() const {
  std::uint64_t macs = 0;
  for (const Gemm& gemm : gemms) {
    const BlockGrid grid{gemm.m, gemm.n, tiling.base_m, tiling.base_n};
    for (std::uint32_t b = share; b < grid.count(); b += shares) {
      const BlockGrid::Block block = grid.block(b);
      macs += std::uint64_t{block.rows} * block.cols * gemm.k;
    }
  }
  return macs;
}

}  // namespace a3sim
