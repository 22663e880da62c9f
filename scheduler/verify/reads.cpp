#include <fmt/format.h>

#include <vector>

#include "models/operators/operator.h"
#include "scheduler/ssc/taskflow_view.h"
#include "scheduler/verify/parts.h"

namespace a3sim {
namespace {

bool within(Rows inner, Rows outer) { return inner.begin >= outer.begin && inner.end <= outer.end; }

// The received rows and the weights of each expert of a rank.
class ExpertRanges {
 public:
  explicit ExpertRanges(const Ssc& ssc)
      : ep_(ssc.shape().ep), experts_(ssc.shape().experts_per_rank), received_{0} {
    for (const std::uint32_t rows : ssc.received_capacity()) received_.push_back(received_.back() + rows);
  }

  // Returns the expert's rows in a tensor of this layout; all rows for a task without an expert.
  Rows find(std::uint16_t expert, const TensorInfo& tensor) const {
    if (expert == kNoExpert) return {0, tensor.rows};
    if (tensor.layout == Layout::kReceived)
      return {received_[std::size_t{expert} * ep_], received_[(std::size_t{expert} + 1) * ep_]};
    const std::uint32_t each = tensor.rows / experts_;
    return {expert * each, (expert + 1) * each};
  }

 private:
  std::uint32_t ep_, experts_;
  std::vector<std::uint32_t> received_;
};

// Which rows tasks need for those that they write. Layouts say it: rows follow from the same rows, or from
// those of every block that is added up; products with weights and their gradients from the expert's; sums over
// tokens and rows gathered from tokens from anywhere; rows that cross the links once from those of other experts of the
// rank. Puts move rows, which check_rows follows.
class ReadsCheck final : public Check {
 public:
  explicit ReadsCheck(const CheckedGroup& group) : schedule_(group.schedule), taskflow_(group.taskflow) {
    for (const OperatorInfo& op : taskflow_.operators) movers_.push_back(Operators::get(op.type).mover());
  }

  void visit(std::uint32_t r) override {
    const ExpertRanges experts(schedule_[r]);
    const std::span<const TaskDescriptor> tasks = taskflow_.ranks[r].tasks;
    for (std::uint32_t t = 0; t < tasks.size(); ++t) {
      if (tasks[t].num_outputs > 0) check(r, t, experts);
    }
  }

  void finish() override {
    if (!findings_.errors.empty()) return;
    findings_.notes.push_back(fmt::format("{} inputs are the rows that their outputs follow from", inputs_));
  }

 private:
  void check(std::uint32_t r, std::uint32_t t, const ExpertRanges& experts) {
    const TaskflowView::Rank& rank = taskflow_.ranks[r];
    const TaskDescriptor& td = rank.tasks[t];
    const bool put = movers_[td.op] != Mover::kNone;
    const std::span<const Region> inputs = read_by(rank.inputs(td));
    const bool early = is_of_first_experts(td);
    const bool blocks = !early && inputs.size() > taskflow_.operators[td.op].inputs.size();
    for (const Region& out : rank.outputs(td)) {
      for (std::uint32_t i = 0; i < inputs.size(); ++i) {
        const Region& in = inputs[i];
        if (in.flags & kMetadata) continue;
        ++inputs_;
        const bool weights = i > 0 && rank.tensors[in.tensor].layout == Layout::kWeights;
        const bool right = weights && put   ? in.rows() == experts.find(td.expert, rank.tensors[in.tensor])
                           : put            ? moves(in, out, rank) || (i > 0 && is_whole(in, rank))
                           : early          ? rank.tensors[in.tensor].layout != Layout::kWeights
                           : blocks         ? is_block(i, in, out, rank)
                           : spreads(td.op) ? spread(in, td, rank, experts)
                                            : follows(in, out, rank, td, experts);
        if (right) continue;
        findings_.errors.push_back(fmt::format(
            "{} on rank {} reads rows [{}, {}) of {}: rows [{}, {}) of {} do not follow from these",
            taskflow_.task_name(r, t), r, in.row_begin, in.row_end, rank.tensors[in.tensor].name,
            out.row_begin, out.row_end, rank.tensors[out.tensor].name));
      }
    }
  }

  // Sums of the tokens that are complete once the first experts are, and the flag that says so. Which tokens these are is
  // known at run time.
  bool is_of_first_experts(const TaskDescriptor& td) const {
    const std::string& type = taskflow_.operators[td.op].type;
    return type == "AccumulateInPhases" || (type == "Doorbell" && td.num_inputs > 1);
  }
  bool spreads(std::uint32_t op) const {
    return spreads_out(op) || taskflow_.operators[op].type.starts_with("SumExperts");
  }
  bool spreads_out(std::uint32_t op) const { return taskflow_.operators[op].type.starts_with("Spread"); }

  // Rows that cross the links once came for the same expert or an earlier one of the rank; sums are of the same expert and
  // later ones.
  bool spread(const Region& in, const TaskDescriptor& td, const TaskflowView::Rank& rank,
              const ExpertRanges& experts) const {
    const TensorInfo& from = rank.tensors[in.tensor];
    const Rows own = experts.find(td.expert, from);
    return in.rows() == (spreads_out(td.op) ? Rows{0, own.end} : Rows{own.begin, from.rows});
  }

  // Rows fetched from tokens are wherever the routing says.
  static bool moves(const Region& in, const Region& out, const TaskflowView::Rank& rank) {
    if (rank.tensors[in.tensor].layout == Layout::kTokens) return true;
    return in.rows().size() == out.rows().size();
  }

  // Returns whether the input is a whole tensor that a put waits for but does not move.
  static bool is_whole(const Region& in, const TaskflowView::Rank& rank) {
    const TensorInfo& tensor = rank.tensors[in.tensor];
    return tensor.layout == Layout::kPlain && in.rows() == Rows{0, tensor.rows};
  }

  // Returns whether the input is the output's rows in the i-th block, if blocks have as many rows as the
  // output.
  static bool is_block(std::uint32_t i, const Region& in, const Region& out, const TaskflowView::Rank& rank) {
    const std::uint64_t before = std::uint64_t{i} * rank.tensors[out.tensor].rows;
    return in.rows().size() == out.rows().size() && in.row_begin == before + out.row_begin;
  }

  static bool follows(const Region& in, const Region& out, const TaskflowView::Rank& rank,
                      const TaskDescriptor& td, const ExpertRanges& experts) {
    const TensorInfo &from = rank.tensors[in.tensor], &to = rank.tensors[out.tensor];
    const bool whole = in.rows() == Rows{0, from.rows};
    if (from.layout == to.layout) return in.rows() == out.rows() || (from.layout == Layout::kPlain && whole);
    if (from.layout != Layout::kWeights && to.layout != Layout::kWeights) return whole;
    const Rows written = experts.find(td.expert, to);
    if (in.rows() != experts.find(td.expert, from)) return false;
    return td.expert == kNoExpert ? out.rows() == written : within(out.rows(), written);
  }

  const Schedule& schedule_;
  const TaskflowView& taskflow_;
  std::vector<Mover> movers_;  // one entry per operator
  std::uint64_t inputs_ = 0;
};

}  // namespace

std::unique_ptr<Check> reads_check(const CheckedGroup& group) { return std::make_unique<ReadsCheck>(group); }

}  // namespace a3sim
