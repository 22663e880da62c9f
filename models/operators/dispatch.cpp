#include "models/operators/put.h"
#include "models/taskflow/pieces.h"

namespace a3sim {
namespace {

// Sends this rank's rows to the ranks of their experts:
// for one local expert index, to every rank, every piece.
class Dispatch final : public PutOperator {
 public:
  // Its rows may come from Permute, whose tasks are its
  // pieces: exact regions say more than a partition could.
  SplitSpec split_spec() const override { return {{}, {0}}; }

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

 private:
  Layout from() const override { return Layout::kSent; }
  Layout to() const override { return Layout::kReceived; }

  void add(const FillContext& context, std::uint32_t expert, std::uint32_t dst, const Piece& piece,
           TaskTable& out) const {
    const Region inputs[] = {whole(context.op.inputs[0], context.rank, piece.sent),
                             metadata(context, context.op.inputs[1])};
    const Region output = whole(context.op.outputs[0], RankId{dst}, piece.received);
    TaskDescriptor td = describe(context, *this, expert, piece.received.begin);
    td.gexpert = dst * context.shape.experts_per_rank + expert;
    td.dst = dst;
    td.chunk = piece.chunk;
    td.tile = piece.tile;
    td.task_split_value = context.cut.chunk;
    out.add(td, inputs, {&output, 1});
  }
};

A3SIM_REGISTER(Operator, "Dispatch", "puts rows to the ranks of their experts", Dispatch);

}  // namespace
}  // namespace a3sim
