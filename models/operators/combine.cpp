#include <algorithm>

#include "models/operators/data.h"
#include "models/operators/once.h"
#include "models/operators/put.h"
#include "models/taskflow/pieces.h"

namespace a3sim {
namespace {

// Sends an expert's rows back to where they came from: every piece of every source rank.
class Combine : public RoutedPut {
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

// Sends a row home once from each rank that has experts of its token: their sum (SumExperts), in the place of the first of
// them. The places of the others' rows are cleared.
class CombineOnce final : public Combine {
 public:
  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    const Region &in = task.inputs[0], &out = task.outputs[0];
    const Rows from = real_rows(context, in), to = real_rows(context, out);
    for_each_slot(context.layout, in.rank, from, [&](std::uint32_t expert, std::uint32_t src, Rows slot) {
      for (std::uint32_t r = std::max(slot.begin, from.begin); r < std::min(slot.end, from.end); ++r) {
        const auto source = data.tensor(RankId{in.rank}, TensorId{in.tensor}).row(r);
        const auto target =
            data.tensor(RankId{out.rank}, TensorId{out.tensor}).row(to.begin + (r - from.begin));
        if (routed_row(context.layout, data, in.rank, expert, src, r - slot.begin).first == r)
          std::copy(source.begin(), source.end(), target.begin());
        else
          std::ranges::fill(target, 0.0F);
      }
    });
  }

 private:
  std::uint32_t rows_brought(const WorkContext& context, const TaskView& task) const override {
    return once_rows(context.layout, task.inputs[0].rank, task.inputs[0].rows());
  }
};

A3SIM_REGISTER(Operator, "CombineOnce",
               "puts the sum of a rank's experts back to the ranks that sent the rows", CombineOnce);
A3SIM_REGISTER(Operator, "Combine", "puts rows back to the ranks that sent them", Combine);
A3SIM_REGISTER(Operator, "CombineByEngine", "Combine by the device's copy engines", Combine);
A3SIM_REGISTER(Operator, "CombineOnceByEngine", "CombineOnce by the device's copy engines", CombineOnce);

}  // namespace
}  // namespace a3sim
