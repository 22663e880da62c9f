#include <algorithm>
#include <cmath>

#include "models/operators/once.h"

namespace a3sim {
namespace {

// Base class of operators between rows that cross the links once and the rows of each expert, on one rank. Inputs: rows, and
// as metadata the counts of rows by source and expert. A task has rows of one expert, and may read those of other experts
// of the rank.
class OnceOperator : public Operator {
 public:
  CoreUnit unit() const final { return CoreUnit::kVector; }
  bool cut_by_task_rows() const final { return true; }
  std::uint32_t num_inputs() const final { return 2; }
  bool is_metadata(std::uint32_t input) const final { return input == 1; }
  SplitSpec split_spec() const final { return {{{0, 0}}, {0}}; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const final {
    if (inputs[0].layout != Layout::kReceived || outputs[0].layout != Layout::kReceived)
      return "takes 'received' rows to 'received' rows";
    if (!inputs[1].external) return "its counts '" + inputs[1].name + "' must be external";
    return same_width(inputs[0], outputs[0]);
  }

  std::uint32_t task_number(const MoeShape& shape, const CutOptions& cut,
                            std::span<const TensorInfo> inputs) const final {
    return row_tiles(shape, cut, inputs[0]);
  }

  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const final {
    check(context.cut);
    const TileRows tiled = tile_rows(context, context.op.outputs[0], tile);
    const std::uint32_t step = tiled.expert ? context.cut.task_rows : tiled.rows.size();
    std::uint32_t number = tiled.expert ? 0 : tile.index;
    for (std::uint32_t begin = tiled.rows.begin; begin < tiled.rows.end; ++number) {
      const std::uint32_t end = begin + std::min(step, tiled.rows.end - begin);
      add(context, {begin, end}, tiled.expert, number, out);
      begin = end;
    }
  }

 protected:
  // Returns which of all received rows a task of the expert reads.
  virtual Rows read_rows(Rows all, Rows of_expert) const = 0;

 private:
  void add(const FillContext& context, Rows rows, std::optional<std::uint32_t> expert, std::uint32_t number,
           TaskTable& out) const {
    const TensorId from = context.op.inputs[0];
    const Rows all{0, info(context, from).rows};
    const Rows read =
        expert ? read_rows(all, context.layout.received_expert(index(context.rank), *expert)) : all;
    const Region inputs[] = {whole(from, context.rank, read), metadata(context, context.op.inputs[1])};
    const Region output = whole(context.op.outputs[0], context.rank, rows);
    TaskDescriptor td = describe(context, *this, expert, rows.begin);
    td.task_split_value = rows.size();
    td.tile = number;
    out.add(td, inputs, {&output, 1});
  }
};

// Adds what a vector task reads from anywhere among rows: so many of them.
void add_gathered(const WorkContext& context, const Region& from, std::uint64_t rows, std::uint32_t at,
                  Work& out) {
  Stream read = stream(context, from, false);
  read.row_bytes = static_cast<std::uint32_t>(info(context, read.tensor).row_bytes());
  read.bytes = rows * read.row_bytes;
  read.gather = true;
  read.gather_at = at;
  out.streams.push_back(read);
}

// Copies rows that came once to each of their experts on this rank, each times its weight if they are gradients. What it
// reads came for the same expert or an earlier one.
class Spread final : public OnceOperator {
 public:
  explicit Spread(bool weighted) : weighted_(weighted) {}

  TaskType task_type() const override { return TaskType{232}; }

  void work(const WorkContext& context, const TaskView& task, Work& out) const override {
    const Stream write = stream(context, task.outputs[0], true);
    if (write.rows.empty()) return;
    out.kind = WorkKind::kVector;
    add_gathered(context, task.inputs[0], write.rows.size(), write.rows.begin, out);
    out.streams.push_back(write);
    if (!weighted_) return;
    // Each element is widened, multiplied by the row's weight, and narrowed.
    const TensorInfo& to = info(context, write.tensor);
    out.ops.simple_fp32 = std::uint64_t{write.rows.size()} * to.cols;
    if (to.dtype != DataType::kFp32) out.ops.convert = 2 * out.ops.simple_fp32;
  }

  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    const Region &in = task.inputs[0], &out = task.outputs[0];
    const Rows rows = real_rows(context, out);
    const DataType dtype = info(context, TensorId{out.tensor}).dtype;
    for_each_slot(context.layout, out.rank, rows, [&](std::uint32_t expert, std::uint32_t src, Rows slot) {
      for (std::uint32_t r = std::max(slot.begin, rows.begin); r < std::min(slot.end, rows.end); ++r) {
        const RoutedRow row = routed_row(context.layout, data, out.rank, expert, src, r - slot.begin);
        const auto source = data.tensor(RankId{in.rank}, TensorId{in.tensor}).row(row.first);
        const auto target = data.tensor(RankId{out.rank}, TensorId{out.tensor}).row(r);
        std::transform(source.begin(), source.end(), target.begin(),
                       [&](float value) { return weighted_ ? round_to(dtype, value * row.weight) : value; });
      }
    });
  }

 private:
  Rows read_rows(Rows all, Rows of_expert) const override { return {all.begin, of_expert.end}; }

  bool weighted_;
};

// Sums each token's rows on this rank, with or without the router's weights, into the place of the first of them; clears
// the others' places. What it reads is of the same expert or a later one.
class SumExperts final : public OnceOperator {
 public:
  explicit SumExperts(bool weighted) : weighted_(weighted) {}

  TaskType task_type() const override { return TaskType{233}; }

  void work(const WorkContext& context, const TaskView& task, Work& out) const override {
    Stream write = stream(context, task.outputs[0], true);
    double written = 0, summed = 0;
    for_each_slot(context.layout, task.outputs[0].rank, write.rows,
                  [&](std::uint32_t expert, std::uint32_t src, Rows slot) {
                    const double rows =
                        std::min(slot.end, write.rows.end) - std::max(slot.begin, write.rows.begin);
                    const double first = rows * first_part(context.layout, task.outputs[0].rank, expert, src);
                    written += first;
                    summed += first * (1 + later_experts(context.layout, task.outputs[0].rank, expert, src));
                  });
    const auto rows = static_cast<std::uint32_t>(std::lround(written));
    const auto read = static_cast<std::uint64_t>(std::llround(summed));
    if (rows == 0) return;
    out.kind = WorkKind::kVector;
    const TensorInfo& to = info(context, write.tensor);
    add_gathered(context, task.inputs[0], read, write.rows.begin, out);
    write.rows.end = write.rows.begin + rows;
    write.bytes = rows * to.row_bytes();
    out.streams.push_back(write);
    // Each row is widened, multiplied by its weight if any, and added; each sum is narrowed.
    out.ops.simple_fp32 = (weighted_ ? 2 : 1) * read * to.cols;
    if (to.dtype != DataType::kFp32) out.ops.convert = (read + rows) * to.cols;
  }

  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    const Region &in = task.inputs[0], &out = task.outputs[0];
    const Rows rows = real_rows(context, out);
    const RowLayout& layout = context.layout;
    const TensorData& from = data.tensor(RankId{in.rank}, TensorId{in.tensor});
    TensorData& to = data.tensor(RankId{out.rank}, TensorId{out.tensor});
    for (std::uint32_t r = rows.begin; r < rows.end; ++r) std::ranges::fill(to.row(r), 0.0F);
    const Rows all{0, from.rows};
    for_each_slot(layout, out.rank, all, [&](std::uint32_t expert, std::uint32_t src, Rows slot) {
      for (std::uint32_t r = slot.begin; r < slot.end; ++r) {
        const RoutedRow row = routed_row(layout, data, out.rank, expert, src, r - slot.begin);
        if (row.first < rows.begin || row.first >= rows.end) continue;
        const auto sum = to.row(row.first);
        for (std::size_t i = 0; i < sum.size(); ++i)
          sum[i] += weighted_ ? row.weight * from.row(r)[i] : from.row(r)[i];
      }
    });
    const DataType dtype = info(context, TensorId{out.tensor}).dtype;
    for (std::uint32_t r = rows.begin; r < rows.end; ++r)
      for (float& value : to.row(r)) value = round_to(dtype, value);
  }

 private:
  Rows read_rows(Rows all, Rows of_expert) const override { return {of_expert.begin, all.end}; }

  bool weighted_;
};

A3SIM_REGISTER(Operator, "Spread", "copies rows that came once to each of their experts on the rank",
               Spread(false));
A3SIM_REGISTER(Operator, "SpreadWeighted", "the same, each row times its router weight", Spread(true));
A3SIM_REGISTER(Operator, "SumExperts", "sums each token's rows on the rank times the router's weights",
               SumExperts(true));
A3SIM_REGISTER(Operator, "SumExpertsUnweighted", "the same without weights", SumExperts(false));

}  // namespace
}  // namespace a3sim
