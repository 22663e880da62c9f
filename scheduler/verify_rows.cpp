#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "scheduler/bucket_sort.h"
#include "scheduler/taskflow_view.h"
#include "scheduler/verify_parts.h"

namespace a3sim {
namespace {

// The slots of all ranks, read back from the schedules' capacities.
class Slots {
 public:
  explicit Slots(const Schedule& schedule) : shape_(schedule.front().shape()) {
    for (const Ssc& ssc : schedule) {
      sent_.push_back(prefix_sums(ssc.sent_capacity()));
      received_.push_back(prefix_sums(ssc.received_capacity()));
    }
  }

  const MoeShape& shape() const { return shape_; }
  std::uint32_t rank_of(std::uint32_t gexpert) const { return gexpert / shape_.experts_per_rank; }
  Rows sent(std::uint32_t src, std::uint32_t gexpert) const {
    return {sent_[src][gexpert], sent_[src][gexpert + 1]};
  }
  std::uint32_t sent_rows(std::uint32_t src) const { return sent_[src].back(); }
  Rows received(std::uint32_t src, std::uint32_t gexpert) const {
    const std::uint32_t slot = gexpert % shape_.experts_per_rank * shape_.ep + src;
    const std::vector<std::uint32_t>& sums = received_[rank_of(gexpert)];
    return {sums[slot], sums[slot + 1]};
  }
  // The expert in whose slot a sent row stands; `guess`, which may be any number, is tried first.
  std::uint32_t expert_of(std::uint32_t src, std::uint32_t row, std::uint32_t guess) const {
    const std::vector<std::uint32_t>& sums = sent_[src];
    if (guess < sums.size() - 1 && sums[guess] <= row && row < sums[guess + 1]) return guess;
    return static_cast<std::uint32_t>(std::upper_bound(sums.begin(), sums.end(), row) - sums.begin() - 1);
  }

 private:
  static std::vector<std::uint32_t> prefix_sums(std::span<const std::uint32_t> counts) {
    std::vector<std::uint32_t> sums = {0};
    for (const std::uint32_t count : counts) sums.push_back(sums.back() + count);
    return sums;
  }

  MoeShape shape_;
  std::vector<std::vector<std::uint32_t>> sent_, received_;
};

// One put, as the sent rows that it stands for.
struct Move {
  Rows sent;
  std::uint32_t rank, task;
};

// The puts of one operator: forward from sent to received rows, or back.
class RowCheck {
 public:
  RowCheck(const Schedule& schedule, const Slots& slots, std::uint32_t op, Findings& findings)
      : taskflow_(schedule), slots_(slots), op_(op), findings_(findings), moves_(schedule.size()) {}

  void run() {
    if (!between(Layout::kSent, Layout::kReceived) && !between(Layout::kReceived, Layout::kSent)) return;
    for (std::uint32_t r = 0; r < taskflow_.ranks.size(); ++r) {
      const std::span<const TaskDescriptor> tasks = taskflow_.ranks[r].tasks;
      for (std::uint32_t t = 0; t < tasks.size(); ++t) {
        if (tasks[t].op == op_ && tasks[t].num_inputs > 0 && tasks[t].num_outputs > 0) add(r, t, tasks[t]);
      }
    }
    for (std::uint32_t src = 0; src < slots_.shape().ep; ++src) {
      std::vector<Move> moves = std::move(moves_[src]);
      sort_.sort(
          std::span(moves), slots_.sent_rows(src), [](const Move& move) { return move.sent.begin; },
          [](const Move& a, const Move& b) {
            return std::tie(a.sent.begin, a.sent.end, a.rank, a.task) <
                   std::tie(b.sent.begin, b.sent.end, b.rank, b.task);
          });
      std::span<const Move> left = moves;
      for (std::uint32_t e = 0; e < slots_.shape().experts(); ++e) cover(src, e, left);
    }
    if (wrong_) return;
    findings_.notes.push_back(fmt::format("{} moves {} rows, each once and to its place", name(), rows_));
  }

 private:
  const std::string& name() const { return taskflow_.operators[op_].name; }

  // Whether the operator's first input and output are so laid out.
  bool between(Layout from, Layout to) const {
    const OperatorInfo& op = taskflow_.operators[op_];
    const std::span<const TensorInfo> tensors = taskflow_.ranks.front().tensors;
    return !op.inputs.empty() && !op.outputs.empty() && tensors[index(op.inputs[0])].layout == from &&
           tensors[index(op.outputs[0])].layout == to;
  }

  void error(std::string message) {
    wrong_ = true;
    findings_.errors.push_back(std::move(message));
  }

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
    moves_[sent.rank].push_back({sent.rows(), r, t});
  }

  // Whether the received rows are those of the sent ones, which lie in one slot: that of the expert that the task
  // names, if it is right.
  bool fits(const Region& sent, const Region& received, std::uint32_t named) const {
    if (sent.rows().size() != received.rows().size()) return false;
    const std::uint32_t expert = slots_.expert_of(sent.rank, sent.row_begin, named);
    const Rows from = slots_.sent(sent.rank, expert), to = slots_.received(sent.rank, expert);
    return sent.row_end <= from.end && received.rank == slots_.rank_of(expert) &&
           received.row_begin - to.begin == sent.row_begin - from.begin;
  }

  // The first of the moves that are left cover the slot without gap or overlap.
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

  TaskflowView taskflow_;
  const Slots& slots_;
  std::uint32_t op_;
  Findings& findings_;
  BucketSort<Move> sort_;
  std::vector<std::vector<Move>> moves_;  // by the rank whose sent rows they are
  std::uint64_t rows_ = 0;
  bool wrong_ = false;
};

}  // namespace

std::vector<bool> operators_with_puts(const Schedule& schedule) {
  std::vector<bool> with(schedule.front().operators().size());
  for (const Ssc& ssc : schedule) {
    for (const TaskDescriptor& td : ssc.tasks()) {
      if (td.task_type == static_cast<std::uint16_t>(TaskType::kPutMemSignal)) with[td.op] = true;
    }
  }
  return with;
}

void check_rows(const Schedule& schedule, Findings& findings) {
  const Slots slots(schedule);
  for (std::uint32_t op = 0; op < schedule.front().operators().size(); ++op) {
    RowCheck(schedule, slots, op, findings).run();
  }
}

}  // namespace a3sim
