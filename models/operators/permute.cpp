#include <algorithm>

#include "models/operators/data.h"
#include "models/operators/put.h"
#include "models/taskflow/pieces.h"

namespace a3sim {
namespace {

// Gathers a rank's tokens in the order in which they are sent. Its tasks are the pieces that Dispatch sends,
// so that each put waits for its own rows only. Inputs: tokens, and as metadata the router's choice [tokens x
// top_k].
class Permute final : public Operator {
 public:
  explicit Permute(bool weighted) : weighted_(weighted) {}

  TaskType task_type() const override { return TaskType{201}; }
  CoreUnit unit() const override { return CoreUnit::kVector; }
  std::uint32_t num_inputs() const override { return 2; }
  bool is_metadata(std::uint32_t input) const override { return input == 1; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (inputs[0].layout != Layout::kTokens || outputs[0].layout != Layout::kSent) {
      return "gathers 'tokens' into 'sent' rows";
    }
    if (!inputs[1].external) return "its routing '" + inputs[1].name + "' must be external";
    return same_width(inputs[0], outputs[0]);
  }

  SplitSpec split_spec() const override { return {{}, {-1}}; }

  std::uint32_t task_number(const MoeShape& shape, const CutOptions& cut,
                            std::span<const TensorInfo>) const override {
    return shape.experts_per_rank * cut.partitions;
  }

  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const override {
    check(context.cut);
    for_each_expert_tile(context, tile, [&](const ExpertTile& part) {
      for (std::uint32_t dst = 0; dst < context.shape.ep; ++dst) {
        for_each_piece(context.layout, index(context.rank), dst, part.expert, part.partition, part.partitions,
                       context.cut.chunk,
                       [&](const Piece& piece) { add(context, part.expert, dst, piece, out); });
      }
    });
  }

  void work(const WorkContext& context, const TaskView& task, Work& out) const override {
    const Stream write = stream(context, task.outputs[0], true);
    if (write.rows.empty()) return;
    out.kind = WorkKind::kVector;
    Stream read = stream(context, task.inputs[0], false);
    read.bytes = write.rows.size() * info(context, read.tensor).row_bytes();
    read.gather = true;
    read.row_bytes = static_cast<std::uint32_t>(info(context, read.tensor).row_bytes());
    read.gather_at = write.rows.begin;
    out.streams.push_back(read);
    out.streams.push_back(write);
    if (!weighted_) return;
    const TensorInfo& to = info(context, write.tensor);
    const std::uint64_t elements = std::uint64_t{write.rows.size()} * to.cols;
    // Each element is widened, multiplied by the row's weight, and narrowed.
    out.ops.simple_fp32 = elements;
    if (to.dtype != DataType::kFp32) out.ops.convert = 2 * elements;
  }

  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    const Region &in = task.inputs[0], &out = task.outputs[0];
    const Rows rows = real_rows(context, out);
    const DataType dtype = info(context, TensorId{out.tensor}).dtype;
    for (std::uint32_t r = rows.begin; r < rows.end; ++r) {
      const SentRow& sent = data.sent[out.rank][r];
      const auto from = data.tensor(RankId{in.rank}, TensorId{in.tensor}).row(sent.token);
      const auto to = data.tensor(RankId{out.rank}, TensorId{out.tensor}).row(r);
      std::transform(from.begin(), from.end(), to.begin(),
                     [&](float value) { return weighted_ ? round_to(dtype, value * sent.weight) : value; });
    }
  }

 private:
  void add(const FillContext& context, std::uint32_t expert, std::uint32_t dst, const Piece& piece,
           TaskTable& out) const {
    const TensorId tokens = context.op.inputs[0];
    const Region inputs[] = {whole(tokens, context.rank, {0, info(context, tokens).rows}),
                             metadata(context, context.op.inputs[1])};
    const Region output = whole(context.op.outputs[0], context.rank, piece.sent);
    TaskDescriptor td = describe(context, *this, expert, piece.sent.begin);
    td.gexpert = dst * context.shape.experts_per_rank + expert;
    td.dst = dst;
    td.chunk = piece.chunk;
    td.tile = piece.tile;
    td.task_split_value = context.cut.chunk;
    out.add(td, inputs, {&output, 1});
  }

  bool weighted_;
};

A3SIM_REGISTER(Operator, "Permute", "gathers tokens into the order in which they are sent", Permute(false));
A3SIM_REGISTER(Operator, "PermuteWeighted", "the same, each row times its router weight", Permute(true));

}  // namespace
}  // namespace a3sim
