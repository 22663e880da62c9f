#include <fmt/format.h>

#include <algorithm>

#include "models/operators/data.h"
#include "models/operators/quantized_row.h"
#include "models/operators/tile.h"
#include "models/taskflow/pieces.h"

namespace a3sim {
namespace {

// Fetches the rows of this rank's experts from the windows of the ranks that have packed them (QuantizeRoutes), and
// separates them from the scales behind them. What it reads is in another rank's memory, so its start must be held by
// something that this rank hears of, as the counts that the other rank sends once its rows are packed. Inputs: packed
// rows, and as metadata the counts of rows by source and expert.
class PullPacked final : public Operator {
 public:
  TaskType task_type() const override { return TaskType{213}; }
  CoreUnit unit() const override { return CoreUnit::kVector; }
  Mover mover() const override { return Mover::kPull; }
  std::uint32_t num_inputs() const override { return 2; }
  std::uint32_t num_outputs() const override { return 2; }
  bool is_metadata(std::uint32_t input) const override { return input == 1; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    const TensorInfo &packed = inputs[0], &rows = outputs[0], &scales = outputs[1];
    if (packed.layout != Layout::kSent || rows.layout != Layout::kReceived ||
        scales.layout != Layout::kReceived) {
      return "moves 'sent' rows to 'received' rows and their scales";
    }
    if (!inputs[1].external) return fmt::format("its counts '{}' must be external", inputs[1].name);
    if (packed.dtype != DataType::kInt8 || rows.dtype != DataType::kInt8 ||
        packed.cols != rows.cols + kScaleColumns) {
      return fmt::format("'{}' must be int8 and have {} columns more than '{}'", packed.name, kScaleColumns,
                         rows.name);
    }
    if (scales.dtype == DataType::kFp32 && scales.cols == 1) return {};
    return fmt::format("'{}' must have one column of fp32: a scale a row", scales.name);
  }

  SplitSpec split_spec() const override { return {{}, {0, 0}}; }

  std::uint32_t task_number(const MoeShape& shape, const CutOptions& cut,
                            std::span<const TensorInfo>) const override {
    return shape.experts_per_rank * cut.partitions;
  }

  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const override {
    check(context.cut);
    const ExpertTile part = expert_tile(context.shape, tile).value_or(ExpertTile{0, 0, 1});
    for (std::uint32_t src = 0; src < context.shape.ep; ++src) {
      for_each_piece(context.layout, src, index(context.rank), part.expert, part.partition, part.partitions,
                     context.cut.chunk,
                     [&](const Piece& piece) { add(context, part.expert, src, piece, out); });
    }
  }

  void work(const WorkContext& context, const TaskView& task, Work& out) const override {
    out.kind = WorkKind::kPut;
    out.src = RankId{task.td.src};
    out.dst = context.rank;
    const Stream read = stream(context, task.inputs[0], false);
    out.put_bytes = read.bytes;
    if (read.bytes == 0) return;
    out.streams.push_back(read);
    for (const Region& output : task.outputs) out.streams.push_back(stream(context, output, true));
  }

  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    const Region &in = task.inputs[0], &rows = task.outputs[0], &scales = task.outputs[1];
    const Rows from = real_rows(context, in), to = real_rows(context, rows);
    for (std::uint32_t r = 0; r < from.size(); ++r) {
      const auto packed = data.tensor(RankId{in.rank}, TensorId{in.tensor}).row(from.begin + r);
      const auto row = data.tensor(RankId{rows.rank}, TensorId{rows.tensor}).row(to.begin + r);
      std::copy_n(packed.begin(), row.size(), row.begin());
      data.tensor(RankId{scales.rank}, TensorId{scales.tensor}).row(to.begin + r)[0] =
          get_scale(packed.last(kScaleColumns));
    }
  }

 private:
  void add(const FillContext& context, std::uint32_t expert, std::uint32_t src, const Piece& piece,
           TaskTable& out) const {
    const Region inputs[] = {whole(context.op.inputs[0], RankId{src}, piece.sent),
                             metadata(context, context.op.inputs[1])};
    const Region outputs[] = {whole(context.op.outputs[0], context.rank, piece.received),
                              whole(context.op.outputs[1], context.rank, piece.received)};
    TaskDescriptor td = describe(context, *this, expert, piece.received.begin);
    td.src = src;
    td.chunk = piece.chunk;
    td.tile = piece.tile;
    td.task_split_value = context.cut.chunk;
    out.add(td, inputs, outputs);
  }
};

A3SIM_REGISTER(Operator, "PullPacked", "fetches packed rows from other ranks, and takes their scales apart",
               PullPacked);

}  // namespace
}  // namespace a3sim
