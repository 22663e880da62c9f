#include <fmt/format.h>

#include "scheduler/taskflow_view.h"
#include "scheduler/verify_parts.h"

namespace a3sim {
namespace {

// Puts between plain tensors of which every rank has a block of rows: whether each row goes to its place. That
// every row comes is for check_writes, as each place is written once.
class BlockCheck {
 public:
  BlockCheck(const Schedule& schedule, std::uint32_t op, Findings& findings)
      : taskflow_(schedule), ranks_(schedule.front().shape().ep), op_(op), findings_(findings) {}

  void run() {
    const OperatorInfo& op = taskflow_.operators[op_];
    const bool gathers = op.type == "AllGather";
    if (!gathers && op.type != "AllToAll") return;
    const std::size_t before = findings_.errors.size();
    for (std::uint32_t r = 0; r < taskflow_.ranks.size(); ++r) {
      const TaskflowView::Rank& rank = taskflow_.ranks[r];
      const std::uint32_t rows = rank.tensors[index(op.inputs[0])].rows;
      for (std::uint32_t t = 0; t < rank.tasks.size(); ++t) {
        if (rank.tasks[t].op == op_) check(r, t, gathers ? rows : rows / ranks_, gathers);
      }
    }
    if (findings_.errors.size() > before) return;
    findings_.notes.push_back(fmt::format("{} moves {} rows of blocks, each to its place", op.name, rows_));
  }

 private:
  // A gathered block is all that its rank has; one that is exchanged lies where its destination's rank says. Both
  // arrive where their source's says.
  void check(std::uint32_t r, std::uint32_t t, std::uint32_t block, bool gathers) {
    const TaskflowView::Rank& rank = taskflow_.ranks[r];
    const TaskDescriptor& td = rank.tasks[t];
    const Region &in = rank.inputs(td)[0], &out = rank.outputs(td)[0];
    const std::uint64_t first = gathers ? 0 : std::uint64_t{out.rank} * block;
    const std::uint64_t row = in.row_begin - first, there = std::uint64_t{r} * block;
    rows_ += in.rows().size();
    if (in.rows().size() == out.rows().size() && in.row_begin >= first && in.row_end <= first + block &&
        out.row_begin == there + row)
      return;
    findings_.errors.push_back(fmt::format(
        "{} on rank {} moves rows [{}, {}) to rows [{}, {}) of rank {}: not their place",
        taskflow_.task_name(r, t), r, in.row_begin, in.row_end, out.row_begin, out.row_end, out.rank));
  }

  TaskflowView taskflow_;
  std::uint32_t ranks_, op_;
  Findings& findings_;
  std::uint64_t rows_ = 0;
};

}  // namespace

void check_blocks(const Schedule& schedule, Findings& findings) {
  for (std::uint32_t op = 0; op < schedule.front().operators().size(); ++op)
    BlockCheck(schedule, op, findings).run();
}

}  // namespace a3sim
