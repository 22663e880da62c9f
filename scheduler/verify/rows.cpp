#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "scheduler/ssc/taskflow_view.h"
#include "scheduler/verify/parts.h"
#include "sim/core/bucket_sort.h"

namespace a3sim {
namespace {

// The slots of all ranks, read back from the schedules' capacities.
class Slots {
 public:
  explicit Slots(const Schedule& schedule)
      : shape_(schedule.front().shape()), of_rank_(std::size_t{shape_.experts()} + 1) {
    for (const Ssc& ssc : schedule) {
      add_sums(ssc.sent_capacity(), sent_);
      add_sums(ssc.received_capacity(), received_);
    }
  }

  const MoeShape& shape() const { return shape_; }
  std::uint32_t rank_of(std::uint32_t gexpert) const { return gexpert / shape_.experts_per_rank; }
  std::uint32_t sent_rows(std::uint32_t src) const { return sent_[src * of_rank_ + of_rank_ - 1]; }
  Rows sent(std::uint32_t src, std::uint32_t gexpert) const {
    const std::uint32_t* const sums = &sent_[src * of_rank_ + gexpert];
    return {sums[0], sums[1]};
  }
  Rows received(std::uint32_t src, std::uint32_t gexpert) const {
    const std::size_t slot = std::size_t{gexpert % shape_.experts_per_rank} * shape_.ep + src;
    const std::uint32_t* const sums = &received_[rank_of(gexpert) * of_rank_ + slot];
    return {sums[0], sums[1]};
  }
  // Returns the expert in whose slot a sent row is. Tries `guess` first, which may be any number.
  std::uint32_t expert_of(std::uint32_t src, std::uint32_t row, std::uint32_t guess) const {
    const std::span<const std::uint32_t> sums = std::span(sent_).subspan(src * of_rank_, of_rank_);
    if (guess < sums.size() - 1 && sums[guess] <= row && row < sums[guess + 1]) return guess;
    return static_cast<std::uint32_t>(std::upper_bound(sums.begin(), sums.end(), row) - sums.begin() - 1);
  }

 private:
  static void add_sums(std::span<const std::uint32_t> counts, std::vector<std::uint32_t>& sums) {
    sums.push_back(0);
    for (const std::uint32_t count : counts) sums.push_back(sums.back() + count);
  }

  MoeShape shape_;
  std::size_t of_rank_;  // number of sums per rank
  // Sums of the rows in the slots before each slot of a rank, and in all of them; rank by rank.
  std::vector<std::uint32_t> sent_, received_;
};

// One put: the sent rows that it moves, there or back.
struct Move {
  Rows sent;
  std::uint32_t rank, task;
};

// The puts of one operator: forward from sent to received rows, or back.
class OperatorMoves {
 public:
  OperatorMoves(const TaskflowView& taskflow, const Slots& slots, std::uint32_t op)
      : taskflow_(taskflow), slots_(slots), op_(op), moves_(taskflow.ranks.size()) {}

  void add(std::uint32_t r, std::uint32_t t, const TaskDescriptor& td) {
    const TaskflowView::Rank& rank = taskflow_.ranks[r];
    const Region &in = rank.inputs(td)[0], &out = rank.outputs(td)[0];
    const bool there = rank.tensors[in.tensor].layout == Layout::kSent;
    const Region &sent = there ? in : out, &received = there ? out : in;
    if (sent.rows().empty() && received.rows().empty()) return;
    if (!fits(sent, received, td.gexpert)) {
      error(fmt::format(
          "{} on rank {} moves rows [{}, {}) of rank {} to rows [{}, {}) of rank {}: not their place",
          taskflow_.task_name(r, t), r, in.row_begin, in.row_end, in.rank, out.row_begin, out.row_end,
          out.rank));
      return;
    }
    // Of a tile that its shares send together, the first stands for all; writes_check() knows that none is missing.
    if (out.share > 0) return;
    std::vector<Move>& moves = moves_[sent.rank];
    if (moves.empty()) moves.reserve(td.task_split_num);  // if ranks are alike, as many come back as go out
    moves.push_back({sent.rows(), r, t});
  }

  // Checks that the puts cover all slots. Call it after all puts have been added.
  void cover_slots() {
    for (std::uint32_t src = 0; src < slots_.shape().ep; ++src) {
      std::vector<Move> moves = std::move(moves_[src]);
      sort_.sort(
          std::span(moves), slots_.sent_rows(src), [](const Move& move) { return move.sent.begin; },
          [](const Move& a, const Move& b) {
            if (a.sent.begin != b.sent.begin) return a.sent.begin < b.sent.begin;
            return std::tie(a.sent.end, a.rank, a.task) < std::tie(b.sent.end, b.rank, b.task);
          });
      std::span<const Move> left = moves;
      for (std::uint32_t e = 0; e < slots_.shape().experts(); ++e) cover(src, e, left);
    }
    if (findings.errors.empty())
      findings.notes.push_back(fmt::format("{} moves {} rows, each once and to its place", name(), rows_));
  }

  Findings findings;

 private:
  const std::string& name() const { return taskflow_.operators[op_].name; }

  void error(std::string message) { findings.errors.push_back(std::move(message)); }

  // Returns whether the received rows are those of the sent ones. These must be in one slot. If it is
  // correct, this is the slot of the expert that the task names.
  bool fits(const Region& sent, const Region& received, std::uint32_t named) const {
    if (sent.rows().size() != received.rows().size()) return false;
    const std::uint32_t expert = slots_.expert_of(sent.rank, sent.row_begin, named);
    const Rows from = slots_.sent(sent.rank, expert), to = slots_.received(sent.rank, expert);
    return sent.row_end <= from.end && received.rank == slots_.rank_of(expert) &&
           received.row_begin - to.begin == sent.row_begin - from.begin;
  }

  // Checks that the first moves in `left` cover the slot without gap or overlap, and removes them.
  void cover(std::uint32_t src, std::uint32_t gexpert, std::span<const Move>& left) {
    const Rows slot = slots_.sent(src, gexpert);
    rows_ += slot.size();
    std::uint32_t next = slot.begin;
    for (; !left.empty() && left.front().sent.begin < slot.end; left = left.subspan(1)) {
      const Move& move = left.front();
      if (move.sent.begin > next) missing(src, gexpert, {next, move.sent.begin});
      if (move.sent.begin < next) {
        error(fmt::format("{} on rank {} moves rows [{}, {}) of rank {} for expert {} again",
                          taskflow_.task_name(move.rank, move.task), move.rank, move.sent.begin,
                          std::min(next, move.sent.end), src, gexpert));
      }
      next = std::max(next, move.sent.end);
    }
    if (next < slot.end) missing(src, gexpert, {next, slot.end});
  }

  void missing(std::uint32_t src, std::uint32_t gexpert, Rows rows) {
    error(fmt::format("{} moves rows [{}, {}) of rank {} for expert {} never", name(), rows.begin, rows.end,
                      src, gexpert));
  }

  const TaskflowView& taskflow_;
  const Slots& slots_;
  std::uint32_t op_;
  BucketSort<Move> sort_;
  std::vector<std::vector<Move>> moves_;  // one list per rank whose sent rows they are
  std::uint64_t rows_ = 0;
};

class RowsCheck final : public Check {
 public:
  explicit RowsCheck(const CheckedGroup& group) : taskflow_(group.taskflow), slots_(group.schedule) {
    for (std::uint32_t op = 0; op < taskflow_.operators.size(); ++op) {
      moves_.emplace_back();
      if (between(op, Layout::kSent, Layout::kReceived) || between(op, Layout::kReceived, Layout::kSent))
        moves_.back().emplace(taskflow_, slots_, op);
    }
  }

  void visit(std::uint32_t r) override {
    const std::span<const TaskDescriptor> tasks = taskflow_.ranks[r].tasks;
    for (std::uint32_t t = 0; t < tasks.size(); ++t) {
      const TaskDescriptor& td = tasks[t];
      if (moves_[td.op] && td.num_inputs > 0 && td.num_outputs > 0) moves_[td.op]->add(r, t, td);
    }
  }

  void finish() override {
    for (std::optional<OperatorMoves>& moves : moves_) {
      if (!moves) continue;
      moves->cover_slots();
      const Findings& findings = moves->findings;
      findings_.errors.insert(findings_.errors.end(), findings.errors.begin(), findings.errors.end());
      findings_.notes.insert(findings_.notes.end(), findings.notes.begin(), findings.notes.end());
    }
  }

 private:
  // Returns whether the operator's first input and output have these layouts.
  bool between(std::uint32_t number, Layout from, Layout to) const {
    const OperatorInfo& op = taskflow_.operators[number];
    const std::span<const TensorInfo> tensors = taskflow_.ranks.front().tensors;
    return !op.inputs.empty() && !op.outputs.empty() && tensors[index(op.inputs[0])].layout == from &&
           tensors[index(op.outputs[0])].layout == to;
  }

  const TaskflowView& taskflow_;
  Slots slots_;
  std::vector<std::optional<OperatorMoves>> moves_;  // one entry per operator
};

}  // namespace

std::unique_ptr<Check> rows_check(const CheckedGroup& group) { return std::make_unique<RowsCheck>(group); }

}  // namespace a3sim
