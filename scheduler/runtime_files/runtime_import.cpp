#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scheduler/runtime_files/runtime_operand.h"
#include "scheduler/runtime_files/runtime_schedule.h"
#include "scheduler/ssc/parts_of.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

// Returns whether a task only begins or ends a kernel.
bool does_nothing(const RuntimeTaskDesc& task) {
  return task.task_type == static_cast<std::uint32_t>(RuntimeTaskType::kTerminate) ||
         task.task_type == static_cast<std::uint32_t>(RuntimeTaskType::kBegin);
}

// Returns, by event of a file, its number in the schedule. Events that nothing triggers, or only the begin of
// the kernel, are complete from the start and have none.
std::vector<std::uint32_t> event_numbers(const NamedRuntimeConfig& file) {
  std::vector<std::uint32_t> of_begin(kRuntimeEvents, 0);
  for (const RuntimeTaskDesc& t : file.config.tasks) {
    if (t.task_type == static_cast<std::uint32_t>(RuntimeTaskType::kBegin)) ++of_begin[t.trigger_event];
  }
  std::vector<std::uint32_t> numbers(kRuntimeEvents, kNone);
  std::uint32_t next = 0;
  for (std::uint32_t e = 0; e < file.config.events.size(); ++e) {
    if (file.config.events[e].num_triggers <= of_begin[e]) continue;
    if (of_begin[e] > 0)
      throw InputError(
          fmt::format("{}: event {} is triggered by the kernel's begin and by tasks", file.name, e));
    numbers[e] = next++;
  }
  return numbers;
}

class Importer {
 public:
  Importer(const NamedRuntimeConfig& file, std::span<const std::vector<std::uint32_t>> numbers,
           const Ssc& ours)
      : config_(file.config), name_(file.name), numbers_(numbers), ours_(ours), parts_(parts_of(ours)) {}

  Ssc run() {
    check_workers();
    match();
    take_events();
    take_tasks();
    parts_.order = "imported";
    return Ssc::build(parts_);
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw InputError(name_ + ": " + fmt::format(format, std::forward<Args>(args)...));
  }
  void check_workers() {
    if (!are_aic_and_aiv(ours_.kinds()))
      fail("it is for AIC and AIV, and the configuration for {}", ours_.kinds().text());
    const std::uint32_t aic = ours_.workers(kAicQueue), aiv = ours_.workers(kAivQueue);
    if (config_.num_workers != aic + aiv) {
      fail("it is for {} workers, the configuration for {} AIC and {} AIV: set workers.aic and workers.aiv",
           config_.num_workers, aic, aiv);
    }
    parts_.assignment = Assignment::kCyclic;
    const bool pools = std::ranges::any_of(ours_.worker_sets(), [&](const WorkerSet& set) {
      return set.count != ours_.workers(set.queue_type);
    });
    if (!pools) return;
    parts_.worker_sets = {{kAicQueue, 0, aic}, {kAivQueue, 0, aiv}};
    for (TaskDescriptor& td : parts_.tasks) td.worker_set = td.queue_type;
  }

  // Maps each task of the file to a task of ours: those with the same operands in the order of their indices.
  using Groups = std::map<TaskSignature, std::vector<std::pair<std::uint32_t, std::uint32_t>>>;
  Groups ours(bool in_bytes) const {
    Groups groups;
    for (std::uint32_t t = 0; t < ours_.tasks().size(); ++t)
      groups[signature_of(ours_, ours_.tasks()[t], in_bytes)].emplace_back(ours_.tasks()[t].task_index, t);
    return groups;
  }

  void match() {
    Groups theirs;
    const RuntimePositions positions(config_);
    for (std::uint32_t t = 0; t < config_.tasks.size(); ++t) {
      if (!does_nothing(config_.tasks[t]))
        theirs[signature_of(config_.tasks[t], positions)].emplace_back(config_.tasks[t].task_index, t);
    }
    Groups mine = ours(true);
    const auto covered = [&] {
      return std::ranges::count_if(theirs, [&](const auto& group) { return mine.contains(group.first); });
    };
    const auto in_bytes = covered();
    if (Groups elements = ours(false); in_bytes < static_cast<std::ptrdiff_t>(theirs.size())) {
      std::swap(mine, elements);
      if (covered() < in_bytes) std::swap(mine, elements);
    }
    task_of_.assign(config_.tasks.size(), kNone);
    for (auto& [signature, tasks] : theirs) {
      const auto found = mine.find(signature);
      if (found == mine.end()) {
        fail(
            "task {} ({}) is none of the configuration's {} pass: is it of another shape, routing or cut "
            "(cut.chunk, "
            "cut.task_rows, cut.partitions)?",
            tasks.front().second, signature.text(), ours_.graph());
      }
      if (tasks.size() != found->second.size()) {
        fail("{} tasks are like task {} ({}), and {} of the configuration: set cut.shares", tasks.size(),
             tasks.front().second, signature.text(), found->second.size());
      }
      std::ranges::sort(tasks);
      std::ranges::sort(found->second);
      for (std::size_t i = 0; i < tasks.size(); ++i) take(tasks[i].second, found->second[i].second);
    }
    for (const auto& [signature, tasks] : mine) {
      if (!theirs.contains(signature)) {
        fail("no task is like task {} of {} ({})", ours_.tasks()[tasks.front().second].task_index,
             ours_.operators()[ours_.tasks()[tasks.front().second].op].name, signature.text());
      }
    }
  }

  void take(std::uint32_t theirs, std::uint32_t mine) {
    const RuntimeTaskDesc& t = config_.tasks[theirs];
    const bool cube = t.task_aicore_type == static_cast<std::uint32_t>(RuntimeCore::kCube);
    if (cube != (ours_.tasks()[mine].queue_type == kAicQueue) ||
        t.task_aicore_type == static_cast<std::uint32_t>(RuntimeCore::kMix))
      fail("task {}: task_aicore_type {} is not where {} runs", theirs, t.task_aicore_type,
           ours_.operators()[ours_.tasks()[mine].op].name);
    task_of_[theirs] = mine;
  }

  void take_events() {
    const std::uint32_t rank = index(ours_.rank());
    std::vector<bool> waited(kRuntimeEvents, false);
    for (std::uint32_t t = 0; t < config_.tasks.size(); ++t) {
      if (task_of_[t] == kNone) continue;
      const RuntimeTaskDesc& task = config_.tasks[t];
      waited[task.dependent_event] = true;
      TaskDescriptor& td = parts_.tasks[task_of_[t]];
      td.dependent_event = numbers_[rank][task.dependent_event];
      // A put triggers an event of its destination.
      const bool put = td.task_type == static_cast<std::uint16_t>(TaskType::kPutMemSignal);
      td.trigger_rank = put ? td.dst : rank;
      td.trigger_event = numbers_[td.trigger_rank][task.trigger_event];
      if (td.trigger_event == kNone)
        fail("task {} triggers event {} of rank {}, which waits for no triggers", t, task.trigger_event,
             td.trigger_rank);
    }
    parts_.events.clear();
    for (std::uint32_t e = 0; e < config_.events.size(); ++e) {
      if (numbers_[rank][e] != kNone)
        parts_.events.push_back({config_.events[e].num_triggers, waited[e] ? 0U : 1U});
    }
  }

  // Takes tasks and queues in the order of the file.
  void take_tasks() {
    std::vector<TaskDescriptor> tasks;
    std::vector<std::uint32_t> number(config_.tasks.size(), kNone);
    for (std::uint32_t t = 0; t < config_.tasks.size(); ++t) {
      if (task_of_[t] == kNone) continue;
      number[t] = static_cast<std::uint32_t>(tasks.size());
      tasks.push_back(parts_.tasks[task_of_[t]]);
    }
    parts_.tasks = std::move(tasks);
    for (std::uint32_t q = 0; q < ours_.queues(); ++q) {
      parts_.queues[q].clear();
      for (const std::uint32_t t : config_.task_indices[q]) {
        if (number[t] != kNone) parts_.queues[q].push_back(number[t]);
      }
    }
  }

  const RuntimeConfig& config_;
  const std::string& name_;
  std::span<const std::vector<std::uint32_t>> numbers_;  // of all ranks
  const Ssc& ours_;
  SscParts parts_;
  // One entry per task of the file: task of ours, or kNone if it does nothing.
  std::vector<std::uint32_t> task_of_;
};

}  // namespace

Schedule schedule_of(std::span<const NamedRuntimeConfig> files, const Schedule& ours) {
  if (files.size() != ours.size())
    throw InputError(fmt::format("{} files of ranks, and the configuration has {} ranks (parallel.ep)",
                                 files.size(), ours.size()));
  std::vector<std::vector<std::uint32_t>> numbers;
  for (const NamedRuntimeConfig& file : files) numbers.push_back(event_numbers(file));
  Schedule schedule;
  for (std::size_t r = 0; r < files.size(); ++r)
    schedule.push_back(Importer(files[r], numbers, ours[r]).run());
  return schedule;
}

}  // namespace a3sim
