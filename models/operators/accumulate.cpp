#include <algorithm>

#include "models/operators/data.h"
#include "models/operators/first_experts.h"
#include "models/operators/tile.h"

namespace a3sim {
namespace {

// Sums the returned rows of each token, with or without the router's weights. Waits until all rows are back,
// since a token's rows may come from anywhere. Inputs: the rows, and as metadata the router's choice [tokens
// x top_k]. In two phases, tokens whose rows all come from the first experts are summed once these are back; then
// further inputs are a flag that says so, and one that says that all rows are back.
class Accumulate final : public Operator {
 public:
  // `piece`: columns that a loop loads of a row at a time; 0: rows are loaded whole, many at a time.
  explicit Accumulate(bool weighted, std::uint32_t piece = 0, bool phases = false)
      : weighted_(weighted), piece_(piece), phases_(phases) {}

  TaskType task_type() const override { return TaskType{202}; }
  CoreUnit unit() const override { return CoreUnit::kVector; }
  bool cut_by_task_rows() const override { return true; }
  std::uint32_t num_inputs() const override { return phases_ ? 4 : 2; }
  bool is_metadata(std::uint32_t input) const override { return input == 1; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (inputs[0].layout != Layout::kSent || outputs[0].layout != Layout::kTokens) {
      return "sums 'sent' rows into 'tokens'";
    }
    if (!inputs[1].external) return "its routing '" + inputs[1].name + "' must be external";
    return same_width(inputs[0], outputs[0]);
  }

  SplitSpec split_spec() const override { return {{}, {0}}; }

  std::uint32_t task_number(const MoeShape& shape, const CutOptions& cut,
                            std::span<const TensorInfo>) const override {
    return std::max(1U, (shape.tokens + cut.task_rows - 1) / cut.task_rows);
  }

  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const override {
    check(context.cut);
    const Rows rows = tile_rows(context, context.op.outputs[0], tile).rows;
    if (rows.empty()) return;
    TaskDescriptor td = describe(context, *this, std::nullopt, rows.begin);
    td.tile = tile.index;
    td.task_split_value = phases_ ? context.cut.segments.front() : context.cut.task_rows;
    const bool early = phases_ && rows.end <= early_tokens(context.shape, td.task_split_value);
    td.chunk = phases_ && !early ? 1 : 0;
    const TensorId returned = context.op.inputs[0];
    std::vector<Region> inputs =
        early ? rows_of_first_experts(context, returned, td.task_split_value)
              : std::vector{whole(returned, context.rank, {0, info(context, returned).rows})};
    inputs.push_back(metadata(context, context.op.inputs[1]));
    if (phases_) inputs.push_back(whole(context.op.inputs[early ? 2 : 3], context.rank, {0, 1}));
    const Region output = whole(context.op.outputs[0], context.rank, rows);
    out.add(td, inputs, {&output, 1});
  }

  void work(const WorkContext& context, const TaskView& task, Work& out) const override {
    const Stream write = stream(context, task.outputs[0], true);
    Region all = task.inputs[0];  // or those of some experts, from anywhere
    all.row_begin = 0;
    all.row_end = info(context, TensorId{all.tensor}).rows;
    Stream read = stream(context, all, false);
    // The routing decides how many rows each token has. Rows are assumed to be spread evenly, normally
    // exactly top_k.
    const std::uint64_t tokens = info(context, write.tensor).rows, total = read.rows.size();
    const std::uint64_t rows = total * write.rows.end / tokens - total * write.rows.begin / tokens;
    const TensorInfo& to = info(context, write.tensor);
    out.kind = WorkKind::kVector;
    read.bytes = rows * info(context, read.tensor).row_bytes();
    read.gather = true;
    read.row_bytes = static_cast<std::uint32_t>(info(context, read.tensor).row_bytes());
    read.gather_at = static_cast<std::uint32_t>(total * write.rows.begin / tokens);
    if (rows > 0) out.streams.push_back(read);
    out.streams.push_back(write);
    // Each row is widened, multiplied by its weight if any, and added; each sum is narrowed.
    out.ops.simple_fp32 = rows * to.cols * (weighted_ ? 2 : 1);
    if (piece_ > 0) out.ops.loads = rows * ((to.cols + piece_ - 1) / piece_);
    if (to.dtype != DataType::kFp32) out.ops.convert = (rows + write.rows.size()) * to.cols;
  }

  void compute(const WorkContext& context, const TaskView& task, Data& data) const override {
    const Region &in = task.inputs[0], &out = task.outputs[0];
    const Rows rows = real_rows(context, out);
    const TensorData& from = data.tensor(RankId{in.rank}, TensorId{in.tensor});
    TensorData& to = data.tensor(RankId{out.rank}, TensorId{out.tensor});
    const std::vector<SentRow>& sent = data.sent[out.rank];
    const std::vector<bool> mine = tokens_of(context, task.td, rows, sent, to.rows);
    for (std::uint32_t t = 0; t < mine.size(); ++t) {
      if (mine[t]) std::ranges::fill(to.row(t), 0.0F);
    }
    for (std::uint32_t r = 0; r < sent.size(); ++r) {
      if (!mine[sent[r].token]) continue;
      const auto sum = to.row(sent[r].token);
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += weighted_ ? sent[r].weight * from.row(r)[i] : from.row(r)[i];
      }
    }
    const DataType dtype = info(context, TensorId{out.tensor}).dtype;
    for (std::uint32_t t = 0; t < mine.size(); ++t) {
      if (!mine[t]) continue;
      for (float& value : to.row(t)) value = round_to(dtype, value);
    }
  }

 private:
  // Returns how many tokens are summed once the results of the first experts of each rank are back: as many as have
  // all theirs among these under balanced routing, where a token's experts are neighbours.
  static std::uint32_t early_tokens(const MoeShape& shape, std::uint32_t first_experts) {
    const std::uint64_t complete = first_experts / shape.top_k * shape.top_k;
    return static_cast<std::uint32_t>(shape.tokens * complete / shape.experts_per_rank);
  }

  // Returns which tokens a task sums. Early tasks take complete tokens in turn, as far as there are any; later ones
  // share the others, and the last one has the rest.
  std::vector<bool> tokens_of(const WorkContext& context, const TaskDescriptor& td, Rows rows,
                              std::span<const SentRow> sent, std::uint32_t tokens) const {
    const MoeShape& shape = context.layout.shape();
    const std::uint32_t first_experts = td.task_split_value;
    const std::uint32_t early = phases_ ? early_tokens(shape, first_experts) : 0;
    std::vector<bool> complete(tokens, early > 0), mine(tokens, false);
    for (std::uint32_t expert = 0; early > 0 && expert < shape.experts(); ++expert) {
      if (expert % shape.experts_per_rank < first_experts) continue;
      const std::uint32_t rank = index(context.rank);
      const Rows late = context.layout.pack(Layout::kSent, rank, context.layout.sent_slot(rank, expert));
      for (std::uint32_t r = late.begin; r < late.end; ++r) complete[sent[r].token] = false;
    }
    std::uint32_t first = 0, other = early;
    for (std::uint32_t t = 0; t < tokens; ++t) {
      const std::uint32_t place = complete[t] && first < early ? first++ : other++;
      mine[t] = (place >= rows.begin && place < rows.end) || (rows.end == tokens && place >= tokens);
    }
    return mine;
  }

  bool weighted_;
  std::uint32_t piece_;
  bool phases_;
};

constexpr std::uint32_t kMegaMoePiece = 2048;

A3SIM_REGISTER(Operator, "Accumulate", "sums each token's returned rows times the router's weights",
               Accumulate(true));
A3SIM_REGISTER(Operator, "AccumulatePieces",
               "Accumulate by a loop that loads 2,048 columns of a row at a time",
               Accumulate(true, kMegaMoePiece));
A3SIM_REGISTER(Operator, "AccumulateInPhases", "AccumulatePieces, of the tokens of the first experts first",
               Accumulate(true, kMegaMoePiece, true));
A3SIM_REGISTER(Operator, "AccumulateUnweighted", "the same without weights", Accumulate(false));

}  // namespace
}  // namespace a3sim
