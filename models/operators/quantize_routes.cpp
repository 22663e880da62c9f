#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/operators/data.h"
#include "models/operators/quantized_row.h"
#include "models/operators/tile.h"

namespace a3sim {
namespace {

// Writes a packed row for each route, by expert: reads its token, converts it to int8 and puts the scale
// after it. A token that goes to k experts is read and converted k times. The rows are cut evenly into
// CutOptions::parts tasks. Inputs: tokens, and as metadata the router's choice [tokens x top_k].
class QuantizeRoutes final : public Operator {
 public:
  TaskType task_type() const override { return TaskType{214}; }
  CoreUnit unit() const override { return CoreUnit::kVector; }
  std::uint32_t num_inputs() const override { return 2; }
  bool is_metadata(std::uint32_t input) const override { return input == 1; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    const TensorInfo &tokens = inputs[0], &packed = outputs[0];
    if (tokens.layout != Layout::kTokens || packed.layout != Layout::kSent)
      return "packs 'tokens' into 'sent' rows";
    if (!inputs[1].external) return fmt::format("its routing '{}' must be external", inputs[1].name);
    if (packed.dtype == DataType::kInt8 && packed.cols == tokens.cols + kScaleColumns) return {};
    return fmt::format("'{}' must have {} columns of int8, not {} of {}", packed.name,
                       tokens.cols + kScaleColumns, packed.cols, name_of(packed.dtype));
  }

  SplitSpec split_spec() const override { return {{}, {-1}}; }

  std::uint32_t task_number(const MoeShape&, const CutOptions& cut,
                            std::span<const TensorInfo>) const override {
    return cut.parts;
  }

  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const override {
    const TensorId tokens = context.op.inputs[0], packed = context.op.outputs[0];
    const Rows rows = equal_cut({0, info(context, packed).rows}, tile.index, tile.count);
    if (rows.empty()) return;
    const Region inputs[] = {whole(tokens, context.rank, {0, info(context, tokens).rows}),
                             metadata(context, context.op.inputs[1])};
    const Region output = whole(packed, context.rank, rows);
    TaskDescriptor td = describe(context, *this, std::nullopt, rows.begin);
    td.tile = tile.index;
    td.task_split_value = rows.size();
    out.add(td, inputs, {&output, 1});
  }

  void work(const WorkContext& context, const TaskView& task, Work& out) const override {
    const Stream write = stream(context, task.outputs[0], true);
    if (write.rows.empty()) return;
    out.kind = WorkKind::kVector;
    Stream read = stream(context, task.inputs[0], false);
    read.row_bytes = static_cast<std::uint32_t>(info(context, read.tensor).row_bytes());
    read.bytes = std::uint64_t{write.rows.size()} * read.row_bytes;
    read.gather = true;
    read.gather_at = write.rows.begin;
    out.streams.push_back(read);
    out.streams.push_back(write);
    const std::uint64_t rows = write.rows.size(), elements = rows * info(context, read.tensor).cols;
    // Those of Quantize, each waiting for the one before: 3 conversions, absolute value, 2 that find the
    // largest, and a multiplication.
    constexpr std::uint64_t kInstructions = 7;
    out.ops = {.simple_fp32 = 3 * elements,
               .convert = 3 * elements,
               .dependent = kInstructions * rows,
               .routed = rows};
  }

  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    const Region &in = task.inputs[0], &out = task.outputs[0];
    const Rows rows = real_rows(context, out);
    for (std::uint32_t r = rows.begin; r < rows.end; ++r) {
      const auto token = data.tensor(RankId{in.rank}, TensorId{in.tensor}).row(data.sent[out.rank][r].token);
      const auto packed = data.tensor(RankId{out.rank}, TensorId{out.tensor}).row(r);
      quantize_row(token, packed.first(token.size()));
      put_scale(scale_of(token), packed.last(kScaleColumns));
    }
  }
};

A3SIM_REGISTER(Operator, "QuantizeRoutes", "a packed int8 row for each route of each token", QuantizeRoutes);

}  // namespace
}  // namespace a3sim
