#include <fmt/format.h>

#include <algorithm>

#include "models/operators/data.h"
#include "models/operators/tile.h"

namespace a3sim {
namespace {

// Marks the arrival of each core at a barrier, for each local expert: CutOptions::parts tasks per expert that
// do nothing and wait for nothing. A worker reaches its task when it has finished what precedes it in its
// list. So whoever waits for all of these tasks (Hold) waits for all cores, even if their earlier work was in
// other ranks' memory. Input: an external tensor, which is not read. Output: plain rows, one for each expert
// and core.
class Arrive final : public Operator {
 public:
  TaskType task_type() const override { return TaskType{221}; }
  CoreUnit unit() const override { return CoreUnit::kVector; }
  std::uint32_t num_inputs() const override { return 1; }
  bool is_metadata(std::uint32_t) const override { return true; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (!inputs[0].external) return fmt::format("'{}' must be external", inputs[0].name);
    return outputs[0].layout == Layout::kPlain ? "" : fmt::format("'{}' must be plain rows", outputs[0].name);
  }

  SplitSpec split_spec() const override { return {{}, {-1}}; }

  std::uint32_t task_number(const MoeShape& shape, const CutOptions& cut,
                            std::span<const TensorInfo>) const override {
    return shape.experts_per_rank * cut.parts;
  }

  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const override {
    const TensorId flags = context.op.outputs[0];
    const Rows rows = equal_cut({0, info(context, flags).rows}, tile.index, tile.count);
    if (rows.empty()) return;
    const Region input = metadata(context, context.op.inputs[0]), output = whole(flags, context.rank, rows);
    TaskDescriptor td = describe(context, *this, tile.index / context.cut.parts, rows.begin);
    td.tile = tile.index % context.cut.parts;
    td.task_split_value = rows.size();
    out.add(td, {&input, 1}, {&output, 1});
  }

  void work(const WorkContext&, const TaskView&, Work&) const override {}

  void compute(const WorkContext&, const TaskView& task, Data& data) const override {
    const Region& out = task.outputs[0];
    for (std::uint32_t r = out.row_begin; r < out.row_end; ++r)
      std::ranges::fill(data.tensor(RankId{out.rank}, TensorId{out.tensor}).row(r), 1.0F);
  }
};

A3SIM_REGISTER(Operator, "Arrive", "each core's arrival at a barrier, in the order of its list", Arrive);

}  // namespace
}  // namespace a3sim
