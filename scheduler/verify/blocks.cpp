#include <fmt/format.h>

#include "scheduler/ssc/taskflow_view.h"
#include "scheduler/verify/parts.h"

namespace a3sim {
namespace {

// Checks that puts between plain tensors, of which every rank has a block of rows, move each row to its
// place. writes_check() checks that every row arrives, because each place is written once.
class BlocksCheck final : public Check {
 public:
  explicit BlocksCheck(const CheckedGroup& group)
      : taskflow_(group.taskflow), ranks_(group.schedule.front().shape().ep) {
    for (const OperatorInfo& op : taskflow_.operators) {
      moves_.push_back({op.type == "AllGather" || op.type == "AllToAll", op.type == "AllGather", 0, {}});
      any_ = any_ || moves_.back().blocks;
    }
  }

  void visit(std::uint32_t r) override {
    if (!any_) return;
    const TaskflowView::Rank& rank = taskflow_.ranks[r];
    for (std::uint32_t t = 0; t < rank.tasks.size(); ++t) {
      if (moves_[rank.tasks[t].op].blocks) check(r, t, moves_[rank.tasks[t].op]);
    }
  }

  void finish() override {
    for (std::size_t op = 0; op < moves_.size(); ++op) {
      const Moves& moves = moves_[op];
      findings_.errors.insert(findings_.errors.end(), moves.errors.begin(), moves.errors.end());
      if (!moves.blocks || !moves.errors.empty()) continue;
      findings_.notes.push_back(fmt::format("{} moves {} rows of blocks, each to its place",
                                            taskflow_.operators[op].name, moves.rows));
    }
  }

 private:
  // The moves of one operator.
  struct Moves {
    bool blocks;   // it moves blocks
    bool gathers;  // it is an AllGather; otherwise an AllToAll
    std::uint64_t rows;
    std::vector<std::string> errors;
  };

  // A gathered block is the whole tensor of its rank. For an exchanged block, the destination's rank decides
  // its rows in the source. In both cases the source's rank decides the rows where it arrives.
  void check(std::uint32_t r, std::uint32_t t, Moves& moves) const {
    const TaskflowView::Rank& rank = taskflow_.ranks[r];
    const TaskDescriptor& td = rank.tasks[t];
    const std::uint32_t all = rank.tensors[index(taskflow_.operators[td.op].inputs[0])].rows;
    const std::uint32_t block = moves.gathers ? all : all / ranks_;
    const Region &in = rank.inputs(td)[0], &out = rank.outputs(td)[0];
    const std::uint64_t first = moves.gathers ? 0 : std::uint64_t{out.rank} * block;
    const std::uint64_t row = in.row_begin - first, there = std::uint64_t{r} * block;
    moves.rows += in.rows().size();
    if (in.rows().size() == out.rows().size() && in.row_begin >= first && in.row_end <= first + block &&
        out.row_begin == there + row)
      return;
    moves.errors.push_back(fmt::format(
        "{} on rank {} moves rows [{}, {}) to rows [{}, {}) of rank {}: not their place",
        taskflow_.task_name(r, t), r, in.row_begin, in.row_end, out.row_begin, out.row_end, out.rank));
  }

  const TaskflowView& taskflow_;
  std::uint32_t ranks_;
  std::vector<Moves> moves_;  // one entry per operator
  bool any_ = false;          // an operator moves blocks
};

}  // namespace

std::unique_ptr<Check> blocks_check(const CheckedGroup& group) {
  return std::make_unique<BlocksCheck>(group);
}

}  // namespace a3sim
