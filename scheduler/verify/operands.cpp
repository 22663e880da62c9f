#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "scheduler/ssc/taskflow_view.h"
#include "scheduler/verify/parts.h"

namespace a3sim {
namespace {

// Checks that a task touches only the operands of its operator, in memory that the task can reach.
class OperandsCheck final : public Check {
 public:
  explicit OperandsCheck(const CheckedGroup& group) : taskflow_(group.taskflow) {
    for (const OperatorInfo& op : taskflow_.operators) types_.push_back(&Operators::get(op.type));
  }

  void visit(std::uint32_t r) override {
    const std::span<const TaskDescriptor> of_rank = taskflow_.ranks[r].tasks;
    blocks_.clear();
    for (const OperatorInfo& op : taskflow_.operators) blocks_.push_back(blocks_of(op, taskflow_.ranks[r]));
    for (std::uint32_t t = 0; t < of_rank.size(); ++t) check(r, t, of_rank[t]);
    tasks_ += of_rank.size();
  }

  void finish() override {
    if (!findings_.errors.empty()) return;
    const bool pulls =
        std::ranges::any_of(types_, [](const Operator* op) { return op->mover() == Mover::kPull; });
    findings_.notes.push_back(
        fmt::format("{} tasks touch their operators' tensors, in other ranks' memory by puts{} only", tasks_,
                    pulls ? " and pulls" : ""));
  }

 private:
  // Returns whether the regions are one of each operand, in order; or, for a single operand made of blocks,
  // one of each block.
  static bool same(std::span<const Region> regions, std::span<const TensorId> tensors, std::size_t blocks) {
    if (regions.size() != (tensors.size() == 1 ? blocks : tensors.size())) return false;
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (regions[i].tensor != index(tensors[tensors.size() == 1 ? 0 : i])) return false;
    }
    return true;
  }

  // Returns whether the regions are of operands, in order, some of them several times or not at all: an operator in phases
  // reads the rows of the first experts of each rank and a flag of the phase.
  static bool in_turn(std::span<const Region> regions, std::span<const TensorId> tensors) {
    std::size_t i = 0;
    for (const Region& region : regions) {
      while (i < tensors.size() && region.tensor != index(tensors[i])) ++i;
    }
    return !regions.empty() && i < tensors.size();
  }
  static bool has_phases(const OperatorInfo& op) {
    return op.type == "AccumulateInPhases" || op.type == "Doorbell";
  }

  static std::uint32_t operand_of(const Region& region, const OperatorInfo& op) {
    const auto found = std::ranges::find(op.inputs, TensorId{region.tensor});
    return static_cast<std::uint32_t>(found - op.inputs.begin());
  }

  // Returns the number of blocks, each with as many rows as the output, in the only input of an operator that
  // adds them up; 1 for other operators.
  static std::size_t blocks_of(const OperatorInfo& op, const TaskflowView::Rank& rank) {
    if (op.type != "ReduceBlocks" || op.inputs.size() != 1 || op.outputs.size() != 1) return 1;
    const TensorInfo &in = rank.tensors[index(op.inputs[0])], &out = rank.tensors[index(op.outputs[0])];
    if (in.layout != Layout::kPlain || out.layout != Layout::kPlain || out.rows == 0) return 1;
    return std::max(1U, in.rows / out.rows);
  }

  void check(std::uint32_t r, std::uint32_t t, const TaskDescriptor& td) {
    const TaskflowView::Rank& rank = taskflow_.ranks[r];
    const OperatorInfo& op = taskflow_.operators[td.op];
    const std::span<const Region> inputs = rank.inputs(td), outputs = rank.outputs(td);
    const bool reads = has_phases(op) ? in_turn(inputs, op.inputs) : same(inputs, op.inputs, blocks_[td.op]);
    if (!reads || !same(outputs, op.outputs, 1)) {
      error(r, t, fmt::format("touches other tensors than {} does", op.name));
      return;
    }
    const Mover mover = types_[td.op]->mover();
    const bool put = mover == Mover::kPush;
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      const Region& in = inputs[i];
      const std::uint32_t operand = has_phases(op) ? operand_of(in, op) : i;
      if (in.rank != r && mover != Mover::kPull)
        error(r, t, fmt::format("reads the memory of rank {}", in.rank));
      if (in.shares != 1) {
        error(r, t,
              fmt::format("is said to read share {} of {} of {}, and reads all of its rows", in.share,
                          in.shares, rank.tensors[in.tensor].name));
      }
      // Only metadata may be read too early, so no other operand may be marked as metadata.
      const std::uint32_t flags = operand >= types_[td.op]->num_inputs() && blocks_[td.op] == 1 ? kHold : 0;
      if (in.flags != flags && !(in.flags == kMetadata && types_[td.op]->is_metadata(operand)))
        error(r, t,
              fmt::format("reads {} as {}, which it is not to {}", rank.tensors[in.tensor].name,
                          in.flags & kHold ? "a hold" : "metadata", op.name));
    }
    const std::uint32_t there = put ? td.dst : r;
    for (const Region& out : outputs) {
      if (out.rank == there) continue;
      error(r, t,
            put ? fmt::format("writes the memory of rank {}, and its destination is rank {}", out.rank, there)
                : fmt::format("writes the memory of rank {} and is no put", out.rank));
    }
    // A put's data is visible on its destination before its signal is. Elsewhere nothing orders the two.
    if (td.trigger_rank == there) return;
    error(r, t,
          fmt::format("writes the memory of rank {} and counts into an event of rank {}", there,
                      td.trigger_rank));
  }

  void error(std::uint32_t rank, std::uint32_t task, const std::string& what) {
    findings_.errors.push_back(fmt::format("{} on rank {} {}", taskflow_.task_name(rank, task), rank, what));
  }

  const TaskflowView& taskflow_;
  std::vector<const Operator*> types_;  // one entry per operator
  std::vector<std::size_t> blocks_;     // one entry per operator, on the current rank
  std::uint64_t tasks_ = 0;
};

}  // namespace

std::unique_ptr<Check> operands_check(const CheckedGroup& group) {
  return std::make_unique<OperandsCheck>(group);
}

}  // namespace a3sim
