#include <fmt/format.h>

#include <algorithm>

#include "models/operators/data.h"
#include "models/operators/first_experts.h"
#include "models/operators/tile.h"

namespace a3sim {
namespace {

// A barrier of a device's vector cores after the operator that writes its input, for each segment of experts,
// for the first experts of all ranks (sent rows), or for all rows. It writes flags, a column of ones; holds of other operators name them (Graph: Hold). A doorbell
// writes the same flags, and no core waits for another.
class Barrier final : public Operator {
 public:
  explicit Barrier(bool meets) : meets_(meets) {}

  TaskType task_type() const override { return TaskType{212}; }
  CoreUnit unit() const override { return CoreUnit::kVector; }
  std::uint32_t num_inputs() const override { return 1; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    const TensorInfo &in = inputs[0], &flags = outputs[0];
    if (flags.layout == Layout::kPlain && flags.rows == 1) return {};
    if (flags.layout == Layout::kReceived && in.layout == Layout::kReceived && flags.cols == 1) return {};
    return fmt::format("its flags '{}' must be one row, or a column of the received rows that '{}' has",
                       flags.name, in.name);
  }

  SplitSpec split_spec() const override { return {{}, {-1}}; }

  std::uint32_t task_number(const MoeShape& shape, const CutOptions& cut,
                            std::span<const TensorInfo> inputs) const override {
    if (!cut.segments.empty()) return static_cast<std::uint32_t>(cut.segments.size());
    return inputs[0].layout == Layout::kReceived ? shape.experts_per_rank : 1;
  }

  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const override {
    const TensorId in = context.op.inputs[0], flags = context.op.outputs[0];
    const bool by_expert = info(context, flags).layout == Layout::kReceived;
    if (!by_expert && tile.index > 0) return;
    const SegmentRows segment = by_expert ? segment_rows(context, tile.index) : SegmentRows{};
    const Rows all{0, info(context, in).rows};
    const bool first_experts = !context.cut.segments.empty() && info(context, in).layout == Layout::kSent;
    const std::vector<Region> input =
        first_experts ? rows_of_first_experts(context, in, context.cut.segments.front())
                      : std::vector{whole(in, context.rank, by_expert ? segment.rows : all)};
    const Region output = whole(flags, context.rank, by_expert ? segment.rows : Rows{0, 1});
    TaskDescriptor td = describe(context, *this, segment.expert, output.row_begin);
    td.chunk = tile.index;
    td.task_split_value = output.rows().size();
    out.add(td, input, {&output, 1});
  }

  void work(const WorkContext&, const TaskView&, Work& out) const override {
    out.kind = WorkKind::kVector;
    out.ops.barriers = meets_ ? 1 : 0;
  }

  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    const Region& out = task.outputs[0];
    const Rows rows = real_rows(context, out);
    for (std::uint32_t r = rows.begin; r < rows.end; ++r)
      std::ranges::fill(data.tensor(RankId{out.rank}, TensorId{out.tensor}).row(r), 1.0F);
  }

 private:
  bool meets_;
};

A3SIM_REGISTER(Operator, "Barrier", "a barrier of the vector cores, behind what writes its input",
               Barrier(true));
A3SIM_REGISTER(Operator, "Doorbell", "tells that its input is written, without a barrier", Barrier(false));

}  // namespace
}  // namespace a3sim
