#include "sim/device/portions.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace a3sim {
namespace {

// The most K of one portion. The panels of all cores then stay small compared with the L2.
constexpr std::uint32_t kMostK = 8192;

// Returns the access to a part of a matrix that begins at row `first_row` of a tensor. Transposed: its
// columns are the tensor's rows.
TensorAccess rectangle(TensorId tensor, std::uint32_t first_row, Rows rows, Rows cols, bool transposed,
                       DataType type, std::uint32_t pitch) {
  if (transposed) std::swap(rows, cols);
  TensorAccess access;
  access.pitch = pitch;
  access.l2.tensor = tensor;
  access.l2.rows = {first_row + rows.begin, first_row + rows.end};
  access.l2.byte_begin = static_cast<std::uint32_t>(bytes_of(type, cols.begin));
  access.l2.byte_end = static_cast<std::uint32_t>(bytes_of(type, cols.end));
  access.l2.unit = CoreUnit::kMatrix;
  return access;
}

// Returns part `i` of `n` of some rows.
Rows part_of(Rows rows, std::uint32_t i, std::uint32_t n) {
  const std::uint64_t size = rows.size();
  return {rows.begin + static_cast<std::uint32_t>(size * i / n),
          rows.begin + static_cast<std::uint32_t>(size * (i + 1) / n)};
}

// Treats unordered rows as a run of the same length, placed by the portion's place in the task: each row is
// read as often as the operator reads it, and it does not matter by which task.
TensorAccess slice(const Stream& stream, std::uint32_t i, std::uint32_t n) {
  TensorAccess access;
  if (stream.rows.empty() || stream.bytes == 0) return access;
  const auto row_bytes =
      static_cast<std::uint32_t>(stream.gather ? stream.row_bytes : stream.bytes / stream.rows.size());
  Rows rows = stream.rows;
  if (stream.gather) {
    const auto wanted = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(stream.rows.size(), std::max<std::uint64_t>(1, stream.bytes / row_bytes)));
    rows.begin += stream.gather_at % (stream.rows.size() - wanted + 1);
    rows.end = rows.begin + wanted;
  }
  access.pitch = stream.pitch > 0 ? stream.pitch : row_bytes;
  access.l2.tensor = stream.tensor;
  access.l2.rows = part_of(rows, i, n);
  access.l2.byte_end = row_bytes;
  access.l2.write = stream.write;
  return access;
}

}  // namespace

bool TensorAccess::same_place(const TensorAccess& other) const {
  return l2.tensor == other.l2.tensor && l2.rows == other.l2.rows && l2.byte_begin == other.l2.byte_begin &&
         l2.byte_end == other.l2.byte_end;
}

void TaskPortions::start(const Work& work, const Hardware& hardware, const AccessStyle& style, bool goes_on) {
  work_ = &work;
  style_ = style;
  first_ = !goes_on;
  if (work.kind == WorkKind::kCube) {
    walk_ = BlockWalk(work);
    k_ = 0;
    return;
  }
  if (work.streams.size() > TaskPortion::kMostAccesses)
    throw std::logic_error("a task with too many streams");
  const std::uint64_t bytes = work.stream_bytes(false) + work.stream_bytes(true);
  const auto ub = static_cast<std::uint64_t>(hardware.vector_of(work.worker_kind).ub.count);
  std::uint64_t most = 1;  // every portion has a row
  for (const Stream& stream : work.streams) most = std::max<std::uint64_t>(most, stream.rows.size());
  part_ = 0;
  parts_ = bytes == 0 ? (work.ops.barriers + work.ops.scalar + work.ops.sorted > 0 ? 1 : 0)
                      : static_cast<std::uint32_t>(std::clamp<std::uint64_t>((bytes + ub - 1) / ub, 1, most));
}

void TaskPortions::style(TensorAccess& access) const {
  access.l2.tensor = TensorId{style_.first_tensor + index(access.l2.tensor)};
  access.l2.op = style_.op;
  access.l2.hint = access.l2.write ? style_.write : style_.read;
}

bool TaskPortions::next(TaskPortion& portion) {
  const bool found = work_->kind == WorkKind::kCube ? next_cube(portion) : next_vector(portion);
  portion.first = first_;
  first_ = false;
  return found;
}

bool TaskPortions::next_cube(TaskPortion& portion) {
  if (walk_.done()) return false;
  const Gemm& gemm = walk_.gemm();
  const BlockGrid::Block block = walk_.block();
  portion.cube = true;
  portion.rows = block.rows;
  portion.cols = block.cols;
  const std::uint32_t portions = std::max(1U, (gemm.k + kMostK - 1) / kMostK);
  const std::uint32_t even = (gemm.k + portions - 1) / portions;
  const std::uint32_t load = std::uint32_t{work_->tiling.base_k} * work_->tiling.step_k;
  portion.k = std::min(gemm.k - k_, portions == 1 ? gemm.k : (even + load - 1) / load * load);
  portion.finishes_block = k_ + portion.k == gemm.k;
  portion.block_k = gemm.k;
  block_accesses(portion, block);
  k_ += portion.k;
  if (portion.finishes_block) {
    walk_.next();
    k_ = 0;
  }
  return true;
}

void TaskPortions::block_accesses(TaskPortion& portion, const BlockGrid::Block& block) const {
  const Gemm& gemm = walk_.gemm();
  const auto bytes = [](DataType type, std::uint32_t elements) {
    return static_cast<std::uint32_t>(bytes_of(type, elements));
  };
  const Rows m{block.row, block.row + block.rows}, n{block.col, block.col + block.cols};
  const Rows k{k_, k_ + portion.k};
  portion.count = 0;
  const Tiling& tiling = work_->tiling;
  const std::uint32_t along_k = std::uint32_t{tiling.base_k} * tiling.step_k;
  TensorAccess& a = portion.accesses[portion.count++];
  a = rectangle(work_->a, gemm.a_row, m, k, work_->a_transposed, work_->dtype, work_->a_pitch);
  a.row_bytes = bytes(work_->dtype, work_->a_transposed ? tiling.base_m : along_k);
  TensorAccess& b = portion.accesses[portion.count++];
  b = rectangle(work_->b, gemm.b_row, k, n, work_->b_transposed, work_->weights, work_->b_pitch);
  b.row_bytes = bytes(work_->weights, work_->b_transposed ? along_k : tiling.base_n);
  style(a);
  style(b);
  const auto [readers_a, readers_b] = walk_.readers();
  portion.readers_a = tiling.rotate_k ? 1 : readers_a;
  portion.readers_b = tiling.rotate_k ? 1 : readers_b;
  portion.fetchers = tiling.rotate_k ? std::array{readers_a, readers_b} : std::array{1U, 1U};
  // A product that sends its result writes it through the links.
  if (!portion.finishes_block || work_->put_bytes > 0) return;
  TensorAccess& c = portion.accesses[portion.count++];
  c = rectangle(work_->c, gemm.c_row, m, n, false, work_->result, 0);
  c.l2.write = true;
  style(c);
}

bool TaskPortions::next_vector(TaskPortion& portion) {
  if (part_ == parts_) return false;
  portion.cube = false;
  portion.count = 0;
  for (const Stream& stream : work_->streams) {
    TensorAccess& access = portion.accesses[portion.count];
    access = slice(stream, part_, parts_);
    if (access.l2.rows.empty()) continue;
    style(access);
    ++portion.count;
  }
  const double part = 1.0 / parts_;
  portion.simple = part * static_cast<double>(work_->ops.simple_fp32);
  portion.convert = part * static_cast<double>(work_->ops.convert);
  portion.transcendental = part * static_cast<double>(work_->ops.transcendental);
  portion.dependent = part * static_cast<double>(work_->ops.dependent);
  portion.loads = part * static_cast<double>(work_->ops.loads);
  ++part_;
  return true;
}

}  // namespace a3sim
