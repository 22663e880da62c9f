#include <algorithm>

#include "models/operators/data.h"
#include "models/operators/tile.h"

namespace a3sim {
namespace {

// Waits for all rows of its inputs, which it does not read, and then writes a row. Operators that have this
// row among their inputs are held until then.
class Gate final : public Operator {
 public:
  TaskType task_type() const override { return TaskType{224}; }
  CoreUnit unit() const override { return CoreUnit::kVector; }
  std::uint32_t num_inputs() const override { return 2; }

  std::string mismatch(std::span<const TensorInfo>, std::span<const TensorInfo> outputs,
                       bool) const override {
    return outputs[0].layout == Layout::kPlain ? "" : "writes a row of a 'plain' tensor";
  }

  SplitSpec split_spec() const override { return {{}, {-1}}; }
  std::uint32_t task_number(const MoeShape&, const CutOptions&, std::span<const TensorInfo>) const override {
    return 1;
  }

  void fill_config(const FillContext& context, Tile, TaskTable& out) const override {
    const auto all = [&](TensorId tensor) {
      return whole(tensor, context.rank, {0, info(context, tensor).rows});
    };
    const Region inputs[] = {all(context.op.inputs[0]), all(context.op.inputs[1])};
    const Region output = all(context.op.outputs[0]);
    TaskDescriptor td = describe(context, *this, std::nullopt, 0);
    td.task_split_value = output.rows().size();
    out.add(td, inputs, {&output, 1});
  }

  void work(const WorkContext&, const TaskView&, Work&) const override {}

  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    const Region& out = task.outputs[0];
    for (std::uint32_t row = out.row_begin; row < out.row_end; ++row)
      std::ranges::fill(data.tensor(context.rank, TensorId{out.tensor}).row(row), 0.0F);
  }
};

A3SIM_REGISTER(Operator, "Gate", "waits for whole tensors, and lets others start", Gate);

}  // namespace
}  // namespace a3sim
