#include <fmt/format.h>

#include <algorithm>

#include "models/operators/data.h"
#include "models/operators/tile.h"

namespace a3sim {
namespace {

// Finds the place of each token's routes in the order by expert, which sending needs. Tensors are plain,
// [tokens x top_k] of int32. There are three operators:
//   SortRoutes   sorts the routes of CutOptions::parts equal runs of tokens, from the router's choice
//   (metadata)
//   MergeRoutes  merges the runs into one order, in a single task
//   IndexRoutes  counts, and writes the place of each route element by element, in CutOptions::parts tasks
// On real data SortRoutes writes the places in the whole order at once, and the others pass them on.
class RouteIndex final : public Operator {
 public:
  enum class Kind : std::uint8_t { kSort, kMerge, kIndex };
  explicit RouteIndex(Kind kind) : kind_(kind) {}

  TaskType task_type() const override {
    return TaskType{static_cast<std::uint16_t>(215 + static_cast<std::uint16_t>(kind_))};
  }
  CoreUnit unit() const override { return CoreUnit::kVector; }
  std::uint32_t num_inputs() const override { return 1; }
  bool is_metadata(std::uint32_t) const override { return kind_ == Kind::kSort; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    const TensorInfo &in = inputs[0], &out = outputs[0];
    if (out.layout != Layout::kPlain || out.dtype != DataType::kInt32)
      return fmt::format("'{}' must be plain rows of int32", out.name);
    if (kind_ != Kind::kSort) return same_rows(in, out);
    return in.external ? std::string() : fmt::format("its routing '{}' must be external", in.name);
  }

  SplitSpec split_spec() const override { return {{}, {-1}}; }

  std::uint32_t task_number(const MoeShape&, const CutOptions& cut,
                            std::span<const TensorInfo>) const override {
    return kind_ == Kind::kMerge ? 1 : cut.parts;
  }

  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const override {
    const TensorId from = context.op.inputs[0], to = context.op.outputs[0];
    const Rows rows = equal_cut({0, info(context, to).rows}, tile.index, tile.count);
    if (rows.empty()) return;
    const Region input = kind_ == Kind::kSort ? metadata(context, from)
                                              : whole(from, context.rank, {0, info(context, from).rows});
    const Region output = whole(to, context.rank, rows);
    TaskDescriptor td = describe(context, *this, std::nullopt, rows.begin);
    td.tile = tile.index;
    td.task_split_value = rows.size();
    out.add(td, {&input, 1}, {&output, 1});
  }

  void work(const WorkContext& context, const TaskView& task, Work& out) const override {
    out.kind = WorkKind::kVector;
    const Stream write = stream(context, task.outputs[0], true);
    Stream read = write;
    read.write = false;
    if (kind_ != Kind::kSort) read.tensor = TensorId{task.inputs[0].tensor};
    if (kind_ != Kind::kSort) out.streams.push_back(read);
    out.streams.push_back(write);
    const std::uint64_t routes = std::uint64_t{write.rows.size()} * info(context, write.tensor).cols;
    if (kind_ == Kind::kIndex) out.ops.scalar = routes;
    if (kind_ == Kind::kMerge) out.ops.sorted = routes;
    if (kind_ == Kind::kSort) out.ops.sorted = routes * sort_passes(routes);
  }

  void compute(const WorkContext&, const TaskView& task, Data& data) const override {
    const Region& out = task.outputs[0];
    TensorData& to = data.tensor(RankId{out.rank}, TensorId{out.tensor});
    if (kind_ != Kind::kSort) {
      const TensorData& from = data.tensor(RankId{out.rank}, TensorId{task.inputs[0].tensor});
      for (std::uint32_t r = out.row_begin; r < out.row_end; ++r)
        std::ranges::copy(from.row(r), to.row(r).begin());
      return;
    }
    std::vector<std::uint32_t> seen(to.rows, 0);
    for (std::uint32_t r = out.row_begin; r < out.row_end; ++r) std::ranges::fill(to.row(r), -1.0F);
    const std::vector<SentRow>& sent = data.sent[out.rank];
    for (std::uint32_t place = 0; place < sent.size(); ++place) {
      const std::uint32_t token = sent[place].token;
      if (token >= out.row_begin && token < out.row_end)
        to.row(token)[seen[token]++] = static_cast<float>(place);
    }
  }

 private:
  // The sort instruction leaves runs of 32; each pass merges four.
  static std::uint64_t sort_passes(std::uint64_t elements) {
    std::uint64_t passes = 1;
    for (std::uint64_t run = 32; run < elements; run *= 4) ++passes;
    return passes;
  }

  Kind kind_;
};

A3SIM_REGISTER(Operator, "SortRoutes", "sorts runs of routes by expert", RouteIndex(RouteIndex::Kind::kSort));
A3SIM_REGISTER(Operator, "MergeRoutes", "merges sorted runs of routes", RouteIndex(RouteIndex::Kind::kMerge));
A3SIM_REGISTER(Operator, "IndexRoutes", "counts routes and writes the place of each",
               RouteIndex(RouteIndex::Kind::kIndex));

}  // namespace
}  // namespace a3sim
