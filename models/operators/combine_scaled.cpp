#include <fmt/format.h>

#include "models/operators/data.h"
#include "models/operators/put.h"
#include "models/taskflow/pieces.h"

namespace a3sim {
namespace {

// Sends an expert's rows back to their sources, each multiplied by its scale. The multiplication overlaps
// with the transfer, which takes longer: a row of 7168 has 336 vector instructions and 14 KB. Inputs: rows, a
// scale for each, and as metadata the counts of rows by source and expert.
class CombineScaled final : public PutOperator {
 public:
  // `tiles`: rows go in pieces of half a tile's 16 rows and its 256 columns, one after another, instead of
  // whole.
  explicit CombineScaled(bool tiles) : tiles_(tiles) {}

  std::uint32_t num_inputs() const override { return 3; }
  bool is_metadata(std::uint32_t input) const override { return input == 2; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (inputs[0].layout != Layout::kReceived || outputs[0].layout != Layout::kSent)
      return "moves 'received' rows to 'sent' rows";
    if (std::string why = as_many_rows(inputs[0], inputs[1]); !why.empty()) return why;
    if (inputs[1].dtype != DataType::kFp32 || inputs[1].cols != 1)
      return fmt::format("'{}' must have one column of fp32: a scale a row", inputs[1].name);
    if (!inputs[2].external) return fmt::format("its counts '{}' must be external", inputs[2].name);
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
      for (std::uint32_t src = 0; src < context.shape.ep; ++src) {
        for_each_piece(context.layout, src, index(context.rank), part.expert, part.partition, part.partitions,
                       context.cut.chunk,
                       [&](const Piece& piece) { add(context, part.expert, src, piece, out); });
      }
    });
  }

  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    const Region &in = task.inputs[0], &out = task.outputs[0];
    const Rows from = real_rows(context, in), to = real_rows(context, out);
    const DataType dtype = info(context, TensorId{out.tensor}).dtype;
    for (std::uint32_t r = 0; r < from.size(); ++r) {
      const auto row = data.tensor(RankId{in.rank}, TensorId{in.tensor}).row(from.begin + r);
      const float scale =
          data.tensor(RankId{in.rank}, TensorId{task.inputs[1].tensor}).row(from.begin + r)[0];
      const auto target = data.tensor(RankId{out.rank}, TensorId{out.tensor}).row(to.begin + r);
      for (std::size_t i = 0; i < row.size(); ++i) target[i] = round_to(dtype, row[i] * scale);
    }
  }

 private:
  // Whole rows and pieces of tiles are double buffered, each a copy of its own. For each row of a piece the scalar
  // unit fetches the scale, which instructions take from its registers (assumed).
  void set_pieces(std::uint32_t rows, std::uint32_t cols, Work& out) const override {
    constexpr std::uint32_t kRows = 8, kCols = 256;
    const std::uint64_t down = tiles_ ? (rows + kRows - 1) / kRows : rows,
                        across = tiles_ ? (cols + kCols - 1) / kCols : 1;
    out.put_pieces = down * across;
    if (tiles_) out.ops.scalar = across * rows;
  }
  void add(const FillContext& context, std::uint32_t expert, std::uint32_t back_to, const Piece& piece,
           TaskTable& out) const {
    const Region inputs[] = {whole(context.op.inputs[0], context.rank, piece.received),
                             whole(context.op.inputs[1], context.rank, piece.received),
                             metadata(context, context.op.inputs[2])};
    const Region output = whole(context.op.outputs[0], RankId{back_to}, piece.sent);
    TaskDescriptor td = describe(context, *this, expert, piece.sent.begin);
    td.dst = back_to;
    td.chunk = piece.chunk;
    td.tile = piece.tile;
    td.task_split_value = context.cut.chunk;
    out.add(td, inputs, {&output, 1});
  }

  bool tiles_;
};

A3SIM_REGISTER(Operator, "CombineScaled", "puts rows times their scale back to the ranks that sent them",
               CombineScaled(false));
A3SIM_REGISTER(Operator, "CombineScaledTiles", "the same in pieces of tiles, one after the other",
               CombineScaled(true));

}  // namespace
}  // namespace a3sim
