#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "scheduler/ssc/taskflow_view.h"

namespace a3sim {

// Returns a region of whole rows of a tensor in one rank's memory.
inline Region rows(std::uint32_t tensor, std::uint32_t begin, std::uint32_t end, std::uint32_t rank = 0) {
  return {tensor, rank, begin, end, 0, 1, 0};
}

// Builds taskflows by hand, for tests of what comes after operators: plain tensors, and tasks that name
// rows.
class AbstractFlow {
 public:
  explicit AbstractFlow(std::uint32_t ranks = 1) { flow.ranks.resize(ranks); }

  std::uint32_t tensor(std::uint32_t rows, std::uint32_t cols = 1, Layout layout = Layout::kPlain) {
    const auto id = static_cast<std::uint32_t>(flow.ranks[0].tensors.size());
    for (Taskflow::Rank& rank : flow.ranks) {
      rank.tensors.push_back({fmt::format("t{}", id), layout, DataType::kBf16, rows, cols, false});
    }
    return id;
  }

  std::uint32_t op(std::string name, std::uint32_t stage, std::vector<std::uint32_t> inputs,
                   std::vector<std::uint32_t> outputs) {
    OperatorInfo info;
    info.name = std::move(name);
    info.type = "Test";
    info.stage = stage;
    for (const std::uint32_t t : inputs) info.inputs.push_back(TensorId{t});
    for (const std::uint32_t t : outputs) info.outputs.push_back(TensorId{t});
    flow.operators.push_back(std::move(info));
    return static_cast<std::uint32_t>(flow.operators.size() - 1);
  }

  // Appends a task. Regions are {tensor, rank, begin, end, share, shares, flags}.
  std::uint32_t task(std::uint32_t rank, std::uint32_t op, std::vector<Region> inputs,
                     std::vector<Region> outputs, std::uint32_t tiling = kNone) {
    TaskDescriptor td{};
    td.op = static_cast<std::uint16_t>(op);
    td.stage = static_cast<std::uint16_t>(flow.operators[op].stage);
    td.dependent_event = td.trigger_event = td.trigger_rank = kNone;
    td.tiling_data_position = tiling;
    td.expert = kNoExpert;
    td.gexpert = kNone;
    TaskTable& table = flow.ranks[rank].table;
    for (const TaskDescriptor& other : table.tasks) td.task_index += other.op == op;
    table.add(td, inputs, outputs);
    for (TaskDescriptor& other : table.tasks) {
      if (other.op == op) other.task_split_num = td.task_index + 1;
    }
    return static_cast<std::uint32_t>(table.tasks.size() - 1);
  }

  Taskflow flow;
};

}  // namespace a3sim
