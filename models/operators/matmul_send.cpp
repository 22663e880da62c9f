#include <fmt/format.h>

#include <limits>

#include "models/operators/data.h"
#include "models/operators/matmul.h"
#include "models/operators/put.h"
#include "models/taskflow/pieces.h"

namespace a3sim {
namespace {

// A product of each expert's rows by its weights whose tasks send their own results to the ranks that sent the
// rows, as an epilogue does: GroupedMatmul and Combine in one. A task signals one rank, so it has rows of one
// source. Its worker is held until its blocks have left; they pass by this rank's memory. Inputs: the rows, the
// weights, and as metadata the counts of rows by source and expert.
class GroupedMatmulSend final : public Operator {
 public:
  TaskType task_type() const override { return TaskType{234}; }
  CoreUnit unit() const override { return CoreUnit::kMatrix; }
  Mover mover() const override { return Mover::kPush; }
  std::uint32_t num_inputs() const override { return 3; }
  bool is_metadata(std::uint32_t input) const override { return input == 2; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool transposed) const override {
    const TensorInfo &a = inputs[0], &w = inputs[1];
    if (a.layout != Layout::kReceived || outputs[0].layout != Layout::kSent)
      return "multiplies 'received' rows and sends them to 'sent' rows";
    if (w.layout != Layout::kWeights) return fmt::format("'{}' must be laid out 'weights'", w.name);
    if (!inputs[2].external) return fmt::format("its counts '{}' must be external", inputs[2].name);
    return check_product(a, a.cols, w, transposed ? w.cols : w.rows, transposed ? w.rows : w.cols,
                         outputs[0]);
  }

  SplitSpec split_spec() const override { return {{{0, 0}}, {-1}}; }

  std::uint32_t task_number(const MoeShape& shape, const CutOptions& cut,
                            std::span<const TensorInfo>) const override {
    return shape.experts_per_rank * cut.partitions;
  }

  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const override {
    check(context.cut);
    constexpr std::uint32_t kWhole = std::numeric_limits<std::uint32_t>::max();
    for_each_expert_tile(context, tile, [&](const ExpertTile& part) {
      for (std::uint32_t src = 0; src < context.shape.ep; ++src) {
        for_each_piece(context.layout, src, index(context.rank), part.expert, part.partition, part.partitions,
                       kWhole, [&](const Piece& piece) { add(context, part.expert, src, piece, out); });
      }
    });
  }

  void work(const WorkContext& context, const TaskView& task, Work& out) const override {
    const Region &a = task.inputs[0], &c = task.outputs[0];
    start_cube_work(context, task, out);
    out.b_transposed = context.operators[task.td.op].transposed;
    const Rows rows = real_rows(context, a), sent = real_rows(context, c);
    const TensorInfo& to = info(context, out.c);
    if (!rows.empty())
      out.gemms.push_back({rows.size(), to.cols, info(context, out.a).cols, rows.begin,
                           first_weight(context, a, task.inputs[1]), sent.begin});
    if (c.rank != index(context.rank)) add_put(to, c, sent, context.rank, out);
    finish_cube_work(out);
    // A task that has no rows under this routing still signals: kPut with 0 bytes.
    if (out.kind == WorkKind::kNothing && c.rank != index(context.rank)) out.kind = WorkKind::kPut;
  }

  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    Work todo;
    work(context, task, todo);
    multiply(context, todo, data, std::nullopt, RankId{task.outputs[0].rank});
  }

 private:
  static void add(const FillContext& context, std::uint32_t expert, std::uint32_t src, const Piece& piece,
                  TaskTable& out) {
    const TensorId w = context.op.inputs[1];
    const Region inputs[] = {whole(context.op.inputs[0], context.rank, piece.received),
                             whole(w, context.rank, expert_weights(context.shape, info(context, w), expert)),
                             metadata(context, context.op.inputs[2])};
    TaskDescriptor td = describe(context, Operators::get("GroupedMatmulSend"), expert, piece.sent.begin);
    td.task_split_value = piece.received.size();
    td.src = td.dst = src;
    add_shares(context, td, inputs, whole(context.op.outputs[0], RankId{src}, piece.sent), context.cut.shares,
               out);
  }

  // Returns the first row of weights. A task's rows are of one expert, whether it is named or not.
  static std::uint32_t first_weight(const WorkContext& context, const Region& a, const Region& weights) {
    const MoeShape& shape = context.layout.shape();
    const std::uint32_t slot = context.layout.slot_of(Layout::kReceived, a.rank, a.row_begin);
    return slot / shape.ep * (info(context, TensorId{weights.tensor}).rows / shape.experts_per_rank);
  }

  // The blocks of a share are all over the rows. They are accounted for as that share of the rows, whole.
  static void add_put(const TensorInfo& to, const Region& c, Rows sent, RankId from, Work& out) {
    out.src = from;
    out.dst = RankId{c.rank};
    for (BlockWalk walk(out); !walk.done(); walk.next()) {
      const BlockGrid::Block block = walk.block();
      out.put_bytes += block.rows * bytes_of(to.dtype, block.cols);
    }
    if (out.put_bytes == 0) return;
    const std::uint64_t rows = sent.size();
    Stream write{TensorId{c.tensor}, out.dst, {}, 0, true};
    write.rows.begin = sent.begin + static_cast<std::uint32_t>(rows * c.share / c.shares);
    write.rows.end = sent.begin + static_cast<std::uint32_t>(rows * (c.share + 1) / c.shares);
    write.bytes = write.rows.size() * to.row_bytes();
    if (!write.rows.empty()) out.streams.push_back(write);
  }
};

A3SIM_REGISTER(Operator, "GroupedMatmulSend",
               "rows of each expert times its weights, sent to the ranks of the rows by the tasks themselves",
               GroupedMatmulSend);

}  // namespace
}  // namespace a3sim
