#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "models/operators/data.h"
#include "models/operators/quantized_row.h"
#include "models/operators/tile.h"
#include "models/taskflow/pieces.h"

namespace a3sim {
namespace {

// Base class of operators that fetch the rows of this rank's experts from the ranks that have them. A task
// reads another rank's memory. So its start must be held by something that arrives on this rank, such as the
// counts that the other rank sends once its rows are ready. Inputs: rows to send, and as metadata the counts
// of rows by source and expert.
class PullOperator : public Operator {
 public:
  CoreUnit unit() const final { return CoreUnit::kVector; }
  Mover mover() const final { return Mover::kPull; }
  std::uint32_t num_inputs() const final { return 2; }
  bool is_metadata(std::uint32_t input) const final { return input == 1; }

  SplitSpec split_spec() const final { return {{}, std::vector<int>(num_outputs(), 0)}; }

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
    out.src = RankId{task.td.src};  // the rank itself, not the one that is simulated in its place
    out.dst = context.rank;
    const Stream read = stream(context, task.inputs[0], false);
    out.put_bytes = read.bytes;
    if (read.bytes == 0) return;
    out.streams.push_back(read);
    for (const Region& output : task.outputs) out.streams.push_back(stream(context, output, true));
  }

 private:
  void add(const FillContext& context, std::uint32_t expert, std::uint32_t src, const Piece& piece,
           TaskTable& out) const {
    const Region inputs[] = {whole(context.op.inputs[0], RankId{src}, piece.sent),
                             metadata(context, context.op.inputs[1])};
    std::vector<Region> outputs;
    for (const TensorId output : context.op.outputs)
      outputs.push_back(whole(output, context.rank, piece.received));
    TaskDescriptor td = describe(context, *this, expert, piece.received.begin);
    td.src = src;
    td.chunk = piece.chunk;
    td.tile = piece.tile;
    td.task_split_value = context.cut.chunk;
    out.add(td, inputs, outputs);
  }
};

// Fetches packed rows (QuantizeRoutes), and separates them from the scales after them.
class PullPacked final : public PullOperator {
 public:
  TaskType task_type() const override { return TaskType{213}; }
  std::uint32_t num_outputs() const override { return 2; }

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
};

// Fetches rows as they are.
class Pull final : public PullOperator {
 public:
  TaskType task_type() const override { return TaskType{222}; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (inputs[0].layout != Layout::kSent || outputs[0].layout != Layout::kReceived)
      return "moves 'sent' rows to 'received' rows";
    if (!inputs[1].external) return fmt::format("its counts '{}' must be external", inputs[1].name);
    return same_width(inputs[0], outputs[0]);
  }

  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    const Region &in = task.inputs[0], &out = task.outputs[0];
    const Rows from = real_rows(context, in), to = real_rows(context, out);
    for (std::uint32_t r = 0; r < from.size(); ++r) {
      const auto source = data.tensor(RankId{in.rank}, TensorId{in.tensor}).row(from.begin + r);
      const auto row = data.tensor(RankId{out.rank}, TensorId{out.tensor}).row(to.begin + r);
      std::copy(source.begin(), source.end(), row.begin());
    }
  }
};

A3SIM_REGISTER(Operator, "PullPacked", "fetches packed rows from other ranks, and takes their scales apart",
               PullPacked);
A3SIM_REGISTER(Operator, "Pull", "fetches the rows of its experts from the ranks that have them", Pull);

}  // namespace
}  // namespace a3sim
