#include "scheduler/ssc/taskflow_view.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {

TaskflowView::TaskflowView(const Taskflow& taskflow)
    : operators(taskflow.operators),
      tilings(taskflow.tilings),
      group(std::max(taskflow.group, static_cast<std::uint32_t>(taskflow.ranks.size()))),
      first(taskflow.first) {
  ranks.reserve(taskflow.ranks.size());
  for (const Taskflow::Rank& rank : taskflow.ranks) {
    ranks.push_back({rank.tensors, rank.table.tasks, rank.table.regions, rank.events});
  }
}

TaskflowView::TaskflowView(const Schedule& schedule)
    : operators(schedule.front().operators()),
      tilings(schedule.front().tilings()),
      group(schedule.front().shape().ep) {
  ranks.reserve(schedule.size());
  for (const Ssc& ssc : schedule) ranks.push_back({ssc.tensors(), ssc.tasks(), ssc.regions(), ssc.events()});
}

std::string TaskflowView::task_name(std::uint32_t rank, std::uint32_t task) const {
  const TaskDescriptor& td = ranks[rank].tasks[task];
  return fmt::format("{}[{}]", operators[td.op].name, td.task_index);
}

std::vector<CoreUnit> units_of(std::span<const OperatorInfo> operators) {
  std::vector<CoreUnit> units;
  for (const OperatorInfo& op : operators) units.push_back(Operators::get(op.type).unit());
  return units;
}

}  // namespace a3sim
