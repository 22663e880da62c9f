#include <algorithm>

#include "models/operators/data.h"
#include "models/operators/once.h"
#include "models/operators/put.h"
#include "models/taskflow/pieces.h"

namespace a3sim {
namespace {

// Sends this rank's rows to the ranks of their experts: for one local expert index, every piece to every
// rank.
class Dispatch : public RoutedPut {
 public:
  // Its rows may come from Permute, whose tasks are its pieces: exact regions say more than a partition
  // could.
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

 protected:
  Layout from() const override { return Layout::kSent; }
  Layout to() const override { return Layout::kReceived; }

 private:
  // Returns what a put of the piece reads.
  virtual Rows read(const FillContext& /*context*/, const Piece& piece) const { return piece.sent; }

  void add(const FillContext& context, std::uint32_t expert, std::uint32_t dst, const Piece& piece,
           TaskTable& out) const {
    const Region inputs[] = {whole(context.op.inputs[0], context.rank, read(context, piece)),
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

// Sends rows directly from the tokens, as fused kernels do: reads each row when it is sent, once for each of
// its experts.
class DispatchTokens final : public Dispatch {
 public:
  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    const Region &in = task.inputs[0], &out = task.outputs[0];
    const Rows from = sent_rows(context, task), to = real_rows(context, out);
    for (std::uint32_t r = 0; r < from.size(); ++r) {
      const std::uint32_t token = data.sent[in.rank][from.begin + r].token;
      const auto source = data.tensor(RankId{in.rank}, TensorId{in.tensor}).row(token);
      const auto target = data.tensor(RankId{out.rank}, TensorId{out.tensor}).row(to.begin + r);
      std::copy(source.begin(), source.end(), target.begin());
    }
  }

 private:
  Layout from() const override { return Layout::kTokens; }
  Rows read(const FillContext& context, const Piece&) const override {
    return {0, info(context, context.op.inputs[0]).rows};
  }

  // Returns the rows of the sent layout that a put represents. The rows that it writes say of which expert they are.
  static Rows sent_rows(const WorkContext& context, const TaskView& task) {
    const Region& out = task.outputs[0];
    const std::uint32_t src = index(context.rank), ep = context.layout.shape().ep,
                        slot = context.layout.slot_of(Layout::kReceived, out.rank, out.row_begin);
    const std::uint32_t expert = slot / ep,
                        gexpert = out.rank * context.layout.shape().experts_per_rank + expert;
    const std::uint32_t begin = context.layout.sent_slot(src, gexpert).begin + out.row_begin -
                                context.layout.received_slot(out.rank, expert, slot % ep).begin;
    return context.layout.pack(Layout::kSent, src, {begin, begin + out.rows().size()});
  }

  // The routing decides which tokens these are. They are assumed to be as many consecutive tokens, at the
  // rows' relative place.
  Stream source(const WorkContext& context, const TaskView& task, const Stream& to) const override {
    Stream read = stream(context, task.inputs[0], false);
    const std::uint32_t tokens = read.rows.size(), rows = std::min(to.rows.size(), tokens);
    read.rows.begin = sent_rows(context, task).begin % (tokens - rows + 1);
    read.rows.end = read.rows.begin + rows;
    read.bytes = to.bytes;
    return read;
  }
};

// Sends a row once to each rank that has experts of its token, for the first of them. The places of the others' rows are
// cleared; Spread copies them.
class DispatchOnce final : public Dispatch {
 public:
  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    const Region &in = task.inputs[0], &out = task.outputs[0];
    const Rows from = real_rows(context, in), to = real_rows(context, out);
    for_each_slot(context.layout, out.rank, to, [&](std::uint32_t expert, std::uint32_t src, Rows slot) {
      for (std::uint32_t r = std::max(slot.begin, to.begin); r < std::min(slot.end, to.end); ++r) {
        const auto source =
            data.tensor(RankId{in.rank}, TensorId{in.tensor}).row(from.begin + (r - to.begin));
        const auto target = data.tensor(RankId{out.rank}, TensorId{out.tensor}).row(r);
        if (routed_row(context.layout, data, out.rank, expert, src, r - slot.begin).first == r)
          std::copy(source.begin(), source.end(), target.begin());
        else
          std::ranges::fill(target, 0.0F);
      }
    });
  }

 private:
  std::uint32_t rows_brought(const WorkContext& context, const TaskView& task) const override {
    return once_rows(context.layout, task.outputs[0].rank, task.outputs[0].rows());
  }
};

A3SIM_REGISTER(Operator, "DispatchOnce",
               "puts rows once to each rank that has experts of theirs, which spreads them", DispatchOnce);
A3SIM_REGISTER(Operator, "Dispatch", "puts rows to the ranks of their experts", Dispatch);
A3SIM_REGISTER(Operator, "DispatchByEngine", "Dispatch by the device's copy engines", Dispatch);
A3SIM_REGISTER(Operator, "DispatchOnceByEngine", "DispatchOnce by the device's copy engines", DispatchOnce);
A3SIM_REGISTER(Operator, "DispatchTokens", "the same, each row fetched from the tokens as it is sent",
               DispatchTokens);

}  // namespace
}  // namespace a3sim
