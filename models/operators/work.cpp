#include "models/operators/work.h"

#include "models/taskflow/block_grid.h"

namespace a3sim {

void Work::clear() {
  kind = WorkKind::kNothing;
  worker_kind = kNone;
  gemms.clear();
  share = 0;
  count_on = false;
  shares = 1;
  tiling = {};
  dtype = weights = result = DataType::kBf16;
  a = b = c = TensorId{};
  a_transposed = b_transposed = zero_fill = false;
  a_pitch = b_pitch = 0;
  ops = {};
  streams.clear();
  src = dst = RankId{};
  put_bytes = put_pieces = 0;
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
  for (BlockWalk walk(*this); !walk.done(); walk.next()) {
    const BlockGrid::Block block = walk.block();
    macs += std::uint64_t{block.rows} * block.cols * walk.gemm().k;
  }
  return macs;
}

std::uint64_t Work::operations() const {
  if (kind == WorkKind::kCube) return 2 * macs();
  return ops.simple_fp32 + ops.convert + ops.transcendental;
}

void BlockWalk::skip_empty() {
  while (product_ < work_->gemms.size()) {
    if (started_) {
      // Block numbers of a finished product are subtracted, or start over.
      block_ = work_->count_on ? block_ - count_ : work_->share;
      ++product_;
    }
    started_ = true;
    if (product_ == work_->gemms.size()) return;
    grid_ = BlockGrid(gemm().m, gemm().n, work_->tiling);
    count_ = grid_.count();
    if (take()) return;
  }
}

}  // namespace a3sim
