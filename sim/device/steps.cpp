#include "sim/device/steps.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace a3sim {
namespace {

// The most K of one step. The panels of all cores then stay small compared with the L2.
constexpr std::uint32_t kMostK = 8192;

// Returns the access to a part of a matrix that begins at row `first_row` of a tensor. Transposed: its
// columns are the tensor's rows.
StepAccess rectangle(TensorId tensor, std::uint32_t first_row, Rows rows, Rows cols, bool transposed,
                     DataType type, std::uint32_t pitch) {
  if (transposed) std::swap(rows, cols);
  StepAccess access;
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

// Treats unordered rows as a run of the same length, placed by the step's place in the task: each row is read
// as often as the operator reads it, and it does not matter by which task.
StepAccess slice(const Stream& stream, std::uint32_t i, std::uint32_t n) {
  StepAccess access;
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

bool StepAccess::same_place(const StepAccess& other) const {
  return l2.tensor == other.l2.tensor && l2.rows == other.l2.rows && l2.byte_begin == other.l2.byte_begin &&
         l2.byte_end == other.l2.byte_end;
}

void TaskSteps::start(const Work& work, const Hardware& hardware, const AccessStyle& style, bool goes_on) {
  work_ = &work;
  style_ = style;
  first_ = !goes_on;
  if (work.kind == WorkKind::kCube) {
    walk_ = BlockWalk(work);
    k_ = 0;
    return;
  }
  if (work.streams.size() > TaskStep::kMostAccesses) throw std::logic_error("a task with too many streams");
  const std::uint64_t bytes = work.stream_bytes(false) + work.stream_bytes(true);
  const auto ub = static_cast<std::uint64_t>(hardware.vector_of(work.worker_kind).ub.count);
  std::uint64_t most = 1;  // every step has a row
  for (const Stream& stream : work.streams) most = std::max<std::uint64_t>(most, stream.rows.size());
  part_ = 0;
  parts_ = bytes == 0 ? (work.ops.barriers + work.ops.scalar + work.ops.sorted > 0 ? 1 : 0)
                      : static_cast<std::uint32_t>(std::clamp<std::uint64_t>((bytes + ub - 1) / ub, 1, most));
}

void TaskSteps::style(StepAccess& access) const {
  access.l2.tensor = TensorId{style_.first_tensor + index(access.l2.tensor)};
  access.l2.op = style_.op;
  access.l2.hint = access.l2.write ? style_.write : style_.read;
}

bool TaskSteps::next(TaskStep& step) {
  const bool found = work_->kind == WorkKind::kCube ? next_cube(step) : next_vector(step);
  step.first = first_;
  first_ = false;
  return found;
}

bool TaskSteps::next_cube(TaskStep& step) {
  if (walk_.done()) return false;
  const Gemm& gemm = walk_.gemm();
  const BlockGrid::Block block = walk_.block();
  step.cube = true;
  step.rows = block.rows;
  step.cols = block.cols;
  const std::uint32_t steps = std::max(1U, (gemm.k + kMostK - 1) / kMostK);
  const std::uint32_t even = (gemm.k + steps - 1) / steps;
  const std::uint32_t load = std::uint32_t{work_->tiling.base_k} * work_->tiling.step_k;
  step.k = std::min(gemm.k - k_, steps == 1 ? gemm.k : (even + load - 1) / load * load);
  step.finishes_block = k_ + step.k == gemm.k;
  step.block_k = gemm.k;
  block_accesses(step, block);
  k_ += step.k;
  if (step.finishes_block) {
    walk_.next();
    k_ = 0;
  }
  return true;
}

void TaskSteps::block_accesses(TaskStep& step, const BlockGrid::Block& block) const {
  const Gemm& gemm = walk_.gemm();
  const auto bytes = [](DataType type, std::uint32_t elements) {
    return static_cast<std::uint32_t>(bytes_of(type, elements));
  };
  const Rows m{block.row, block.row + block.rows}, n{block.col, block.col + block.cols};
  const Rows k{k_, k_ + step.k};
  step.count = 0;
  const Tiling& tiling = work_->tiling;
  const std::uint32_t along_k = std::uint32_t{tiling.base_k} * tiling.step_k;
  StepAccess& a = step.accesses[step.count++];
  a = rectangle(work_->a, gemm.a_row, m, k, work_->a_transposed, work_->dtype, work_->a_pitch);
  a.row_bytes = bytes(work_->dtype, work_->a_transposed ? tiling.base_m : along_k);
  StepAccess& b = step.accesses[step.count++];
  b = rectangle(work_->b, gemm.b_row, k, n, work_->b_transposed, work_->weights, work_->b_pitch);
  b.row_bytes = bytes(work_->weights, work_->b_transposed ? along_k : tiling.base_n);
  style(a);
  style(b);
  const auto [readers_a, readers_b] = walk_.readers();
  step.readers_a = tiling.rotate_k ? 1 : readers_a;
  step.readers_b = tiling.rotate_k ? 1 : readers_b;
  step.fetchers = tiling.rotate_k ? std::array{readers_a, readers_b} : std::array{1U, 1U};
  // A product that sends its result writes it through the links.
  if (!step.finishes_block || work_->put_bytes > 0) return;
  StepAccess& c = step.accesses[step.count++];
  c = rectangle(work_->c, gemm.c_row, m, n, false, work_->result, 0);
  c.l2.write = true;
  style(c);
}

bool TaskSteps::next_vector(TaskStep& step) {
  if (part_ == parts_) return false;
  step.cube = false;
  step.count = 0;
  for (const Stream& stream : work_->streams) {
    StepAccess& access = step.accesses[step.count];
    access = slice(stream, part_, parts_);
    if (access.l2.rows.empty()) continue;
    style(access);
    ++step.count;
  }
  const double part = 1.0 / parts_;
  step.simple = part * static_cast<double>(work_->ops.simple_fp32);
  step.convert = part * static_cast<double>(work_->ops.convert);
  step.transcendental = part * static_cast<double>(work_->ops.transcendental);
  step.dependent = part * static_cast<double>(work_->ops.dependent);
  step.loads = part * static_cast<double>(work_->ops.loads);
  ++part_;
  return true;
}

}  // namespace a3sim
