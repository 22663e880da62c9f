#include <fmt/format.h>

#include "models/operators/data.h"
#include "models/operators/tile.h"

namespace a3sim {
namespace {

// Adds a tensor's blocks, one per rank, element by element: the last part of a reduce-scatter. Sums are fp32,
// in the order of the ranks, and rounded once.
class ReduceBlocks final : public Operator {
 public:
  TaskType task_type() const override { return TaskType{206}; }
  CoreUnit unit() const override { return CoreUnit::kVector; }
  bool cut_by_task_rows() const override { return true; }
  std::uint32_t num_inputs() const override { return 1; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    const TensorInfo &in = inputs[0], &out = outputs[0];
    if (in.layout != Layout::kPlain || out.layout != Layout::kPlain) return "adds up blocks of 'plain' rows";
    if (std::string why = same_width(in, out); !why.empty()) return why;
    constexpr std::uint32_t kMostBlocks = 128;  // a task's inputs are counted in 8 bits
    if (in.rows % out.rows == 0 && in.rows / out.rows <= kMostBlocks) return {};
    return fmt::format("'{}' has {} rows, expected 1 to {} blocks of the {} of '{}'", in.name, in.rows,
                       kMostBlocks, out.rows, out.name);
  }

  SplitSpec split_spec() const override { return {{}, {0}}; }

  std::uint32_t task_number(const MoeShape& shape, const CutOptions& cut,
                            std::span<const TensorInfo> inputs) const override {
    const std::uint32_t rows = inputs[0].rows / shape.ep;
    return std::max(1U, (rows + cut.task_rows - 1) / cut.task_rows);
  }

  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const override {
    check(context.cut);
    const TensorId from = context.op.inputs[0], to = context.op.outputs[0];
    const Rows rows = tile_rows(context, to, tile).rows;
    if (rows.empty()) return;
    std::vector<Region> inputs;
    for (std::uint32_t begin = 0; begin < info(context, from).rows; begin += info(context, to).rows)
      inputs.push_back(whole(from, context.rank, {begin + rows.begin, begin + rows.end}));
    const Region output = whole(to, context.rank, rows);
    TaskDescriptor td = describe(context, *this, std::nullopt, rows.begin);
    td.tile = tile.index;
    td.task_split_value = context.cut.task_rows;
    out.add(td, inputs, {&output, 1});
  }

  void work(const WorkContext& context, const TaskView& task, Work& out) const override {
    out.kind = WorkKind::kVector;
    const Stream write = stream(context, task.outputs[0], true);
    const std::uint64_t blocks = task.inputs.size(),
                        elements = write.bytes * 8 / element_bits(dtype(context, task));
    Stream read = stream(context, task.inputs[0], false);
    read.rows = {0, info(context, read.tensor).rows};
    read.bytes = blocks * write.bytes;
    read.gather = true;
    read.row_bytes = static_cast<std::uint32_t>(info(context, read.tensor).row_bytes());
    read.gather_at = static_cast<std::uint32_t>(blocks) * write.rows.begin;
    out.streams.push_back(read);
    out.streams.push_back(write);
    // Each block is widened and added; the sum is narrowed.
    out.ops.simple_fp32 = (blocks - 1) * elements;
    if (dtype(context, task) != DataType::kFp32) out.ops.convert = (blocks + 1) * elements;
  }

  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    const Region& out = task.outputs[0];
    const Rows rows = real_rows(context, out);
    TensorData& to = data.tensor(RankId{out.rank}, TensorId{out.tensor});
    for (std::uint32_t r = 0; r < rows.size(); ++r) {
      const auto sum = to.row(rows.begin + r);
      for (std::size_t i = 0; i < sum.size(); ++i) {
        float value = 0;
        for (const Region& in : task.inputs) {
          // If the operator runs as one task, one region has all blocks.
          for (std::uint32_t block = in.row_begin; block < in.row_end; block += rows.size())
            value += data.tensor(RankId{in.rank}, TensorId{in.tensor}).row(block + r)[i];
        }
        sum[i] = round_to(dtype(context, task), value);
      }
    }
  }

 private:
  static DataType dtype(const WorkContext& context, const TaskView& task) {
    return info(context, TensorId{task.outputs[0].tensor}).dtype;
  }
};

A3SIM_REGISTER(Operator, "ReduceBlocks", "sum of a tensor's blocks, one per rank", ReduceBlocks);

}  // namespace
}  // namespace a3sim
