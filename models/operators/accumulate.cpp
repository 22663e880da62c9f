#include <algorithm>

#include "models/operators/data.h"
#include "models/operators/tile.h"

namespace a3sim {
namespace {

// Sums the returned rows of each token, with or without the router's weights. Waits until all rows are back,
// since a token's rows may come from anywhere. Inputs: the rows, and as metadata the router's choice [tokens
// x top_k].
class Accumulate final : public Operator {
 public:
  explicit Accumulate(bool weighted) : weighted_(weighted) {}

  TaskType task_type() const override { return TaskType{202}; }
  CoreUnit unit() const override { return CoreUnit::kVector; }
  bool cut_by_task_rows() const override { return true; }
  std::uint32_t num_inputs() const override { return 2; }
  bool is_metadata(std::uint32_t input) const override { return input == 1; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (inputs[0].layout != Layout::kSent || outputs[0].layout != Layout::kTokens) {
      return "sums 'sent' rows into 'tokens'";
    }
    if (!inputs[1].external) return "its routing '" + inputs[1].name + "' must be external";
    return same_width(inputs[0], outputs[0]);
  }

  SplitSpec split_spec() const override { return {{}, {0}}; }

  std::uint32_t task_number(const MoeShape& shape, const CutOptions& cut,
                            std::span<const TensorInfo>) const override {
    return std::max(1U, (shape.tokens + cut.task_rows - 1) / cut.task_rows);
  }

  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const override {
    check(context.cut);
    const Rows rows = tile_rows(context, context.op.outputs[0], tile).rows;
    if (rows.empty()) return;
    const TensorId returned = context.op.inputs[0];
    const Region inputs[] = {whole(returned, context.rank, {0, info(context, returned).rows}),
                             metadata(context, context.op.inputs[1])};
    const Region output = whole(context.op.outputs[0], context.rank, rows);
    TaskDescriptor td = describe(context, *this, std::nullopt, rows.begin);
    td.tile = tile.index;
    td.task_split_value = context.cut.task_rows;
    out.add(td, inputs, {&output, 1});
  }

  void work(const WorkContext& context, const TaskView& task, Work& out) const override {
    const Stream write = stream(context, task.outputs[0], true);
    Stream read = stream(context, task.inputs[0], false);
    // The routing decides how many rows each token has. Rows are assumed to be spread evenly, normally
    // exactly top_k.
    const std::uint64_t tokens = info(context, write.tensor).rows, total = read.rows.size();
    const std::uint64_t rows = total * write.rows.end / tokens - total * write.rows.begin / tokens;
    const TensorInfo& to = info(context, write.tensor);
    out.kind = WorkKind::kVector;
    read.bytes = rows * info(context, read.tensor).row_bytes();
    read.gather = true;
    read.row_bytes = static_cast<std::uint32_t>(info(context, read.tensor).row_bytes());
    read.gather_at = static_cast<std::uint32_t>(total * write.rows.begin / tokens);
    if (rows > 0) out.streams.push_back(read);
    out.streams.push_back(write);
    // Each row is widened, multiplied by its weight if any, and added; each sum is narrowed.
    out.ops.simple_fp32 = rows * to.cols * (weighted_ ? 2 : 1);
    if (to.dtype != DataType::kFp32) out.ops.convert = (rows + write.rows.size()) * to.cols;
  }

  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    const Region &in = task.inputs[0], &out = task.outputs[0];
    const Rows rows = real_rows(context, out);
    const TensorData& from = data.tensor(RankId{in.rank}, TensorId{in.tensor});
    TensorData& to = data.tensor(RankId{out.rank}, TensorId{out.tensor});
    for (std::uint32_t r = rows.begin; r < rows.end; ++r) std::ranges::fill(to.row(r), 0.0F);
    const std::vector<SentRow>& sent = data.sent[out.rank];
    for (std::uint32_t r = 0; r < sent.size(); ++r) {
      if (sent[r].token < rows.begin || sent[r].token >= rows.end) continue;
      const auto sum = to.row(sent[r].token);
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += weighted_ ? sent[r].weight * from.row(r)[i] : from.row(r)[i];
      }
    }
    const DataType dtype = info(context, TensorId{out.tensor}).dtype;
    for (std::uint32_t r = rows.begin; r < rows.end; ++r) {
      for (float& value : to.row(r)) value = round_to(dtype, value);
    }
  }

 private:
  bool weighted_;
};

A3SIM_REGISTER(Operator, "Accumulate", "sums each token's returned rows times the router's weights",
               Accumulate(true));
A3SIM_REGISTER(Operator, "AccumulateUnweighted", "the same without weights", Accumulate(false));

}  // namespace
}  // namespace a3sim
