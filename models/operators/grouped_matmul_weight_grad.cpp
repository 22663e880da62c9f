#include <fmt/format.h>

#include "models/operators/data.h"
#include "models/operators/matmul.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

// Computes the gradient of each expert's weights: C = At B over the expert's rows. Rows are K here, so it is
// split into output blocks only and waits for all rows of its expert. C is overwritten, with zeros for an
// expert without rows.
class GroupedMatmulWeightGrad final : public Operator {
 public:
  TaskType task_type() const override { return TaskType{203}; }
  CoreUnit unit() const override { return CoreUnit::kMatrix; }
  std::uint32_t num_inputs() const override { return 2; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool transposed) const override {
    const TensorInfo &a = inputs[0], &b = inputs[1], &c = outputs[0];
    if (transposed) return "it transposes its first input always; 'transposed' does not apply";
    if (std::string why = same_rows(a, b); !why.empty()) return why;
    const Layout expected = a.layout == Layout::kReceived ? Layout::kWeights : Layout::kPlain;
    if (c.layout != expected) {
      return fmt::format("'{}' must be laid out '{}', not '{}'", c.name, name_of(expected),
                         name_of(c.layout));
    }
    if (a.cols != c.rows)
      return fmt::format("'{}' has {} columns, '{}' {} rows", a.name, a.cols, c.name, c.rows);
    return check_product(a, a.rows, b, b.rows, b.cols, c);
  }

  // Inherits no partition: it cannot use row partitions of its inputs.
  SplitSpec split_spec() const override { return {{}, {0}}; }

  std::uint32_t task_number(const MoeShape& shape, const CutOptions&,
                            std::span<const TensorInfo> inputs) const override {
    return inputs[0].layout == Layout::kReceived ? shape.experts_per_rank : 1;
  }

  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const override {
    check(context.cut);
    const TensorId a = context.op.inputs[0], b = context.op.inputs[1], c = context.op.outputs[0];
    Rows rows{0, info(context, a).rows}, weights{0, info(context, c).rows};
    std::optional<std::uint32_t> expert;
    const bool received = info(context, a).layout == Layout::kReceived;
    if (const auto part = received ? expert_tile(context.shape, tile) : std::nullopt) {
      if (part->partitions > 1) refuse(context);
      expert = part->expert;
      rows = context.layout.received_expert(index(context.rank), *expert);
      weights = expert_weights(context.shape, info(context, c), *expert);
    } else if (tile.count > 1) {
      refuse(context);
    }
    const Region inputs[] = {whole(a, context.rank, rows), whole(b, context.rank, rows)};
    TaskDescriptor td = describe(context, *this, expert, weights.begin);
    td.task_split_value = weights.size();
    const bool grouped = received && !expert;
    add_shares(context, td, inputs, whole(c, context.rank, weights),
               grouped && !context.cut.kernel ? 1 : context.cut.shares, out);
  }

  void work(const WorkContext& context, const TaskView& task, Work& out) const override {
    start_cube_work(context, task, out);
    out.a_transposed = true;
    if (info(context, out.a).layout == Layout::kReceived && task.td.expert == kNoExpert) {
      out.count_on = true;
      for (std::uint32_t expert = 0; expert < context.layout.shape().experts_per_rank; ++expert) {
        const Rows rows = context.layout.received_expert(index(context.rank), expert);
        add_product(context, context.layout.pack(Layout::kReceived, index(context.rank), rows),
                    expert * info(context, out.a).cols, out);
      }
    } else {
      add_product(context, real_rows(context, task.inputs[0]), task.outputs[0].row_begin, out);
    }
    finish_cube_work(out);
  }

  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    Work todo;
    work(context, task, todo);
    multiply(context, todo, data);
  }

 private:
  [[noreturn]] static void refuse(const FillContext& context) {
    throw InputError(
        fmt::format("operator '{}': a weight gradient cannot be split over rows", context.op.name));
  }

  static void add_product(const WorkContext& context, Rows rows, std::uint32_t first_weight, Work& out) {
    out.gemms.push_back({info(context, out.a).cols, info(context, out.b).cols, rows.size(), rows.begin,
                         rows.begin, first_weight});
    out.zero_fill = (out.gemms.size() == 1 || out.zero_fill) && rows.empty();
  }
};

A3SIM_REGISTER(Operator, "GroupedMatmulWeightGrad", "gradient of each expert's weights",
               GroupedMatmulWeightGrad);

}  // namespace
}  // namespace a3sim
