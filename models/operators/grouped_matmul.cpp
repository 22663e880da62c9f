#include <fmt/format.h>

#include <optional>
#include <vector>

#include "models/operators/data.h"
#include "models/operators/matmul.h"

namespace a3sim {
namespace {

// Computes C = A W for the rows of each expert with its own weights; transposed: C = A Wt, with W stored as
// [N x K]. Is split along rows or experts, never along K. Rows without experts are multiplied by one matrix.
// With scales, integer sums are multiplied by the scale of their column and rounded to 16 bits as they leave
// L0C. The time of a task ignores these scales: some KB beside MB of weights.
class GroupedMatmul final : public Operator {
 public:
  explicit GroupedMatmul(bool scaled) : scaled_(scaled) {}

  TaskType task_type() const override { return TaskType{static_cast<std::uint16_t>(scaled_ ? 220 : 104)}; }
  CoreUnit unit() const override { return CoreUnit::kMatrix; }
  std::uint32_t num_inputs() const override { return scaled_ ? 3 : 2; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool transposed) const override {
    const TensorInfo &a = inputs[0], &w = inputs[1];
    if (std::string why = as_many_rows(a, outputs[0]); !why.empty()) return why;
    const Layout expected = a.layout == Layout::kReceived ? Layout::kWeights : Layout::kPlain;
    if (w.layout != expected) {
      return fmt::format("'{}' must be laid out '{}', not '{}'", w.name, name_of(expected),
                         name_of(w.layout));
    }
    TensorInfo product = outputs[0];
    if (scaled_) {
      if (std::string why = unfit_scales(w, inputs[2], product); !why.empty()) return why;
      product.dtype = sum_type(a.dtype);
    }
    return check_product(a, a.cols, w, transposed ? w.cols : w.rows, transposed ? w.rows : w.cols, product);
  }

  SplitSpec split_spec() const override { return {{{0, 0}}, {0}}; }

  std::uint32_t task_number(const MoeShape& shape, const CutOptions& cut,
                            std::span<const TensorInfo> inputs) const override {
    return inputs[0].layout == Layout::kReceived ? shape.experts_per_rank * cut.partitions
                                                 : shape.ep * cut.partitions;
  }

  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const override {
    check(context.cut);
    const TensorId a = context.op.inputs[0], w = context.op.inputs[1], c = context.op.outputs[0];
    const TileRows tiled = tile_rows(context, a, tile);
    if (tiled.rows.empty()) return;
    const bool grouped = info(context, a).layout == Layout::kReceived && !tiled.expert;
    const Rows weights = tiled.expert ? expert_weights(context.shape, info(context, w), *tiled.expert)
                                      : Rows{0, info(context, w).rows};
    std::vector<Region> inputs = {whole(a, context.rank, tiled.rows), whole(w, context.rank, weights)};
    if (scaled_) {
      const TensorId scales = context.op.inputs[2];
      inputs.push_back(whole(scales, context.rank,
                             tiled.expert
                                 ? expert_weights(context.shape, info(context, scales), *tiled.expert)
                                 : Rows{0, info(context, scales).rows}));
    }
    TaskDescriptor td = describe(context, *this, tiled.expert, tiled.rows.begin);
    td.task_split_value = tiled.rows.size();
    add_shares(context, td, inputs, whole(c, context.rank, tiled.rows),
               grouped && !context.cut.kernel ? 1 : context.cut.shares, out);
  }

  void work(const WorkContext& context, const TaskView& task, Work& out) const override {
    start_cube_work(context, task, out);
    out.b_transposed = context.operators[task.td.op].transposed;
    const Region &a = task.inputs[0], &w = task.inputs[1];
    if (info(context, out.a).layout == Layout::kReceived && task.td.expert == kNoExpert) {
      const std::uint32_t experts = context.layout.shape().experts_per_rank;
      const std::uint32_t weight_rows = w.rows().size() / experts;
      out.count_on = true;
      for (std::uint32_t expert = 0; expert < experts; ++expert) {
        const Rows rows = context.layout.received_expert(index(context.rank), expert);
        add_product(context, context.layout.pack(Layout::kReceived, index(context.rank), rows),
                    expert * weight_rows, out);
      }
    } else {
      add_product(context, real_rows(context, a), w.row_begin, out);
    }
    finish_cube_work(out);
  }

  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    Work todo;
    work(context, task, todo);
    multiply(context, todo, data, scaled_ ? std::optional(TensorId{task.inputs[2].tensor}) : std::nullopt);
  }

 private:
  // Returns why a tensor cannot hold a scale for each column of the weights, or an empty string.
  static std::string unfit_scales(const TensorInfo& weights, const TensorInfo& scales,
                                  const TensorInfo& product) {
    if (weights.dtype != DataType::kInt8 || product.dtype != DataType::kFp16)
      return fmt::format("scales int8 products to fp16: '{}' is {}, '{}' is {}", weights.name,
                         name_of(weights.dtype), product.name, name_of(product.dtype));
    if (scales.layout == weights.layout && scales.rows == 1 && scales.cols == product.cols &&
        scales.dtype == DataType::kFp32)
      return {};
    return fmt::format("'{}' must be laid out as '{}' and have a row of {} columns of fp32", scales.name,
                       weights.name, product.cols);
  }

  static void add_product(const WorkContext& context, Rows rows, std::uint32_t first_weight, Work& out) {
    if (rows.empty()) return;
    out.gemms.push_back({rows.size(), info(context, out.c).cols, info(context, out.a).cols, rows.begin,
                         first_weight, rows.begin});
  }

  bool scaled_;
};

A3SIM_REGISTER(Operator, "GroupedMatmul", "rows of each expert times its weights", GroupedMatmul(false));
A3SIM_REGISTER(Operator, "GroupedMatmulScaled", "the same of int8, to fp16 by a scale for each column",
               GroupedMatmul(true));

}  // namespace
}  // namespace a3sim
