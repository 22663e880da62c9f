#include "models/operators/put.h"
#include "models/taskflow/pieces.h"

namespace a3sim {
namespace {

// Sends an expert's rows back to where they came from: every piece of every source rank.
class Combine final : public RoutedPut {
 public:
  // Only the data input matters: metadata is never partitioned.
  SplitSpec split_spec() const override { return {{{0, 0}}, {-1}}; }

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

 private:
  Layout from() const override { return Layout::kReceived; }
  Layout to() const override { return Layout::kSent; }

  void add(const FillContext& context, std::uint32_t expert, std::uint32_t back_to, const Piece& piece,
           TaskTable& out) const {
    const Region inputs[] = {whole(context.op.inputs[0], context.rank, piece.received),
                             metadata(context, context.op.inputs[1])};
    const Region output = whole(context.op.outputs[0], RankId{back_to}, piece.sent);
    TaskDescriptor td = describe(context, *this, expert, piece.sent.begin);
    td.dst = back_to;
    td.chunk = piece.chunk;
    td.tile = piece.tile;
    td.task_split_value = context.cut.chunk;
    out.add(td, inputs, {&output, 1});
  }
};

A3SIM_REGISTER(Operator, "Combine", "puts rows back to the ranks that sent them", Combine);

}  // namespace
}  // namespace a3sim
