#include "models/operators/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/operators/data.h"
#include "models/taskflow/block_grid.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

using Block = BlockGrid::Block;

void multiply_block(const Work& work, const Gemm& gemm, const Block& block, const TensorData& a,
                    const TensorData& b, TensorData& c, DataType dtype, std::span<const float> scales) {
  std::vector<float> sums(block.cols);
  for (std::uint32_t i = block.row; i < block.row + block.rows; ++i) {
    std::ranges::fill(sums, 0.0F);
    for (std::uint32_t k = 0; k < gemm.k; ++k) {
      const float left = work.a_transposed ? a.row(gemm.a_row + k)[i] : a.row(gemm.a_row + i)[k];
      if (work.b_transposed) {
        for (std::uint32_t j = 0; j < block.cols; ++j) sums[j] += left * b.row(gemm.b_row + block.col + j)[k];
      } else {
        const auto right = b.row(gemm.b_row + k).subspan(block.col);
        for (std::uint32_t j = 0; j < block.cols; ++j) sums[j] += left * right[j];
      }
    }
    const auto row = c.row(gemm.c_row + i).subspan(block.col);
    for (std::uint32_t j = 0; j < block.cols; ++j)
      row[j] = round_to(dtype, scales.empty() ? sums[j] : sums[j] * scales[block.col + j]);
  }
}

}  // namespace

DataType sum_type(DataType operands) {
  return operands == DataType::kInt8 ? DataType::kInt32 : DataType::kFp32;
}

bool gives(DataType operands, DataType result) {
  const bool halved = result == DataType::kFp16 || result == DataType::kBf16;
  return result == operands || result == sum_type(operands) || (element_bits(operands) <= 8 && halved);
}

bool multiply_together(DataType a, DataType b) {
  const bool mixed = a == DataType::kMxfp8 && b == DataType::kMxfp4;
  return a == b || mixed;
}

Rows expert_weights(const MoeShape& shape, const TensorInfo& weights, std::uint32_t expert) {
  const std::uint32_t rows = weights.rows / shape.experts_per_rank;
  return {expert * rows, (expert + 1) * rows};
}

void add_shares(const FillContext& context, TaskDescriptor td, std::span<const Region> inputs, Region output,
                std::uint32_t shares, TaskTable& out) {
  const BlockGrid grid(output.rows().size(), context.tensors[output.tensor].cols, context.tiling);
  if (grid.full_count() > BlockGrid::kMost) {
    throw InputError(fmt::format(
        "'{}': a product of {} base blocks ({} x {}, base_m and base_n of its tiling), expected at most {}",
        context.op.name, grid.full_count(), grid.base_m, grid.base_n, BlockGrid::kMost));
  }
  shares = std::min(shares, grid.count());
  output.shares = static_cast<std::uint16_t>(shares);
  td.tiling_data_position = context.tiling_position;
  for (std::uint32_t share = 0; share < shares; ++share) {
    output.share = static_cast<std::uint16_t>(share);
    td.tile = share;
    out.add(td, inputs, {&output, 1});
  }
}

void start_cube_work(const WorkContext& context, const TaskView& task, Work& out) {
  out.kind = WorkKind::kCube;
  out.share = task.outputs[0].share;
  out.shares = task.outputs[0].shares;
  out.tiling = context.tilings[task.td.tiling_data_position];
  out.a = TensorId{task.inputs[0].tensor};
  out.b = TensorId{task.inputs[1].tensor};
  out.c = TensorId{task.outputs[0].tensor};
  out.dtype = info(context, out.a).dtype;
  out.weights = info(context, out.b).dtype;
  out.result = info(context, out.c).dtype;
  out.a_pitch = info(context, out.a).pitch();
  out.b_pitch = info(context, out.b).pitch();
}

void finish_cube_work(Work& out) {
  if (BlockWalk(out).done()) out.kind = WorkKind::kNothing;
}

void multiply(const WorkContext& context, const Work& work, Data& data, std::optional<TensorId> scales,
              std::optional<RankId> to) {
  if (work.kind != WorkKind::kCube) return;
  const TensorData &a = data.tensor(context.rank, work.a), &b = data.tensor(context.rank, work.b);
  TensorData& c = data.tensor(to.value_or(context.rank), work.c);
  const DataType dtype = info(context, work.c).dtype;
  for (BlockWalk walk(work); !walk.done(); walk.next()) {
    const Gemm& gemm = walk.gemm();
    multiply_block(work, gemm, walk.block(), a, b, c, dtype,
                   scales ? std::as_const(data)
                                .tensor(context.rank, *scales)
                                .row(gemm.b_row / (work.b_transposed ? gemm.n : gemm.k))
                          : std::span<const float>());
  }
}

std::string check_product(const TensorInfo& a, std::uint32_t a_cols, const TensorInfo& b,
                          std::uint32_t b_rows, std::uint32_t b_cols, const TensorInfo& c) {
  if (!multiply_together(a.dtype, b.dtype)) {
    return fmt::format("'{}' is {}, '{}' is {}", a.name, name_of(a.dtype), b.name, name_of(b.dtype));
  }
  if (!gives(a.dtype, c.dtype)) {
    return fmt::format("'{}' is {}, but a product of {} is {} or, as it was summed, {}", c.name,
                       name_of(c.dtype), name_of(a.dtype), name_of(a.dtype), name_of(sum_type(a.dtype)));
  }
  if (a_cols != b_rows) {
    return fmt::format("'{}' gives {} columns to multiply, '{}' {} rows", a.name, a_cols, b.name, b_rows);
  }
  if (b_cols == c.cols) return {};
  return fmt::format("'{}' gives {} columns, '{}' has {}", b.name, b_cols, c.name, c.cols);
}

}  // namespace a3sim
