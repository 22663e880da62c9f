#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "scheduler/order_csv.h"
#include "scheduler/order_names.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

// The tasks of one rank and queue, by operator and task index.
class Tasks {
 public:
  Tasks(const OrderSpec& order, QueueType queue, std::span<const TaskDescriptor> tasks,
        std::span<const OperatorInfo> operators)
      : order_(order),
        queue_(queue),
        operators_(operators),
        by_index_(operators.size()),
        line_(tasks.size()) {
    for (std::uint32_t i = 0; i < operators.size(); ++i) ops_.emplace(operators[i].name, i);
    for (const std::string& name : order.elsewhere) ops_.emplace(name, kNone);
    for (std::uint32_t t = 0; t < tasks.size(); ++t) {
      if (tasks[t].queue_type != static_cast<std::uint8_t>(queue)) continue;
      by_index_[tasks[t].op].emplace(tasks[t].task_index, t);
    }
  }

  // The task that a line names, marked as listed; kNone if it is of another graph.
  std::uint32_t take(const OrderSpec::Explicit& entry) {
    const auto op = ops_.find(entry.op);
    if (op == ops_.end()) fail(entry.line, "unknown operator '{}'{}", entry.op, suggest(entry.op, names()));
    if (op->second == kNone) return kNone;
    const auto task = by_index_[op->second].find(entry.index);
    if (task == by_index_[op->second].end()) {
      fail(entry.line, "'{}' has no task {} in the {} of rank {}", entry.op, entry.index, name_of(queue_),
           entry.rank);
    }
    std::uint32_t& line = line_[task->second];
    if (line != 0) fail(entry.line, "task {} of '{}' stands in line {} already", entry.index, entry.op, line);
    line = entry.line;
    return task->second;
  }

  void require_all(RankId rank) const {
    for (std::size_t op = 0; op < by_index_.size(); ++op) {
      for (const auto& [task_index, task] : by_index_[op]) {
        if (line_[task] != 0) continue;
        throw InputError(fmt::format("{}: task {} of '{}' is missing in the {} of rank {}", file(),
                                     task_index, operators_[op].name, name_of(queue_), index(rank)));
      }
    }
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(std::uint32_t line, fmt::format_string<Args...> format, Args&&... args) const {
    throw InputError(
        fmt::format("{}:{}: {}", file(), line, fmt::format(format, std::forward<Args>(args)...)));
  }

  const std::string& file() const { return order_.list_file[static_cast<std::size_t>(queue_)]; }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, op] : ops_) names.push_back(name);
    return names;
  }

  const OrderSpec& order_;
  QueueType queue_;
  std::span<const OperatorInfo> operators_;
  std::map<std::string, std::uint32_t> ops_;
  std::vector<std::map<std::uint32_t, std::uint32_t>> by_index_;  // by OpId: task index -> task
  std::vector<std::uint32_t> line_;                               // by task: where it is listed, or 0
};

}  // namespace

std::vector<std::uint32_t> listed_queue(const OrderSpec& order, QueueType queue, RankId rank,
                                        std::span<const TaskDescriptor> tasks,
                                        std::span<const OperatorInfo> operators) {
  Tasks rest(order, queue, tasks, operators);
  std::vector<std::uint32_t> entries;
  for (const OrderSpec::Explicit& entry : order.list[static_cast<std::size_t>(queue)]) {
    if (entry.rank != index(rank)) continue;
    if (const std::uint32_t task = rest.take(entry); task != kNone) entries.push_back(task);
  }
  rest.require_all(rank);
  return entries;
}

}  // namespace a3sim
