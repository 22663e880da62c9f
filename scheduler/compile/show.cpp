#include "scheduler/compile/show.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "scheduler/compile/components.h"
#include "scheduler/compile/rank_dependencies.h"
#include "scheduler/compile/reduction.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

void require(bool exists, std::string_view kind, std::uint32_t id, std::size_t count) {
  if (!exists) throw InputError(fmt::format("there is no {} {}; there are {}", kind, id, count));
}

const Ssc& of_rank(const Schedule& schedule, RankId rank) {
  require(index(rank) < schedule.size(), "rank", index(rank), schedule.size());
  return schedule[index(rank)];
}

std::string number_text(std::uint32_t value, std::uint32_t none = kNone) {
  return value == none ? "-" : fmt::format("{}", value);
}

std::uint32_t queue_of(const WorkerKinds& kinds, const std::string& key) {
  std::vector<std::string> keys;
  for (std::uint32_t q = 0; q < kinds.size(); ++q) {
    keys.push_back(kinds[q].queue_key());
    if (keys.back() == key) return q;
  }
  throw InputError(
      fmt::format("there is no queue '{}'; the schedule's workers have {}", key, fmt::join(keys, ", ")));
}

std::string region_text(const Schedule& schedule, const Region& region) {
  const TensorInfo& tensor = schedule[region.rank].tensors()[region.tensor];
  std::string text =
      fmt::format("{} of rank {}, rows [{}, {}), bytes [{}, {})", tensor.name, region.rank, region.row_begin,
                  region.row_end, region.row_begin * tensor.row_bytes(), region.row_end * tensor.row_bytes());
  if (region.shares > 1) text += fmt::format(", blocks {} mod {}", region.share, region.shares);
  if (region.flags & kMetadata) text += ", metadata";
  if (region.flags & kHold) text += ", hold";
  return text;
}

std::string producers_text(const Schedule& schedule, std::uint32_t rank, std::uint32_t event) {
  const TaskflowView taskflow(schedule);
  std::string text;
  for (std::uint32_t r = 0; r < taskflow.ranks.size(); ++r) {
    for (std::uint32_t t = 0; t < taskflow.ranks[r].tasks.size(); ++t) {
      const TaskDescriptor& td = taskflow.ranks[r].tasks[t];
      if (td.trigger_rank != rank || td.trigger_event != event) continue;
      text += fmt::format("    task {} of rank {}: {}\n", t, r, taskflow.task_name(r, t));
    }
  }
  return text;
}

std::string descriptor_text(const TaskDescriptor& td, const WorkerKinds& kinds) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<22}{}\n", name, value);
  };
  line("task_type", number_text(td.task_type));
  line("queue_type", kinds[td.queue_type].queue());
  line("worker_set", number_text(td.worker_set));
  line("op", number_text(td.op));
  line("dependent_event", number_text(td.dependent_event));
  line("trigger_event", fmt::format("{} of rank {}", td.trigger_event, td.trigger_rank));
  line("task_index", fmt::format("{} of {}", td.task_index, td.task_split_num));
  line("task_split_value", number_text(td.task_split_value));
  line("tiling_data_position", number_text(td.tiling_data_position));
  line("stage", number_text(td.stage));
  line("expert", number_text(td.expert, kNoExpert));
  line("gexpert", number_text(td.gexpert));
  line("src", number_text(td.src));
  line("dst", number_text(td.dst));
  line("row", number_text(td.row));
  line("tile", number_text(td.tile));
  line("chunk", number_text(td.chunk));
  return text;
}

}  // namespace

std::string show_queue(const Schedule& schedule, RankId rank, const std::string& queue, std::size_t count) {
  const Ssc& ssc = of_rank(schedule, rank);
  const std::uint32_t q = queue_of(ssc.kinds(), queue);
  const std::span<const std::uint32_t> tasks = ssc.queue(q);
  const TaskflowView taskflow(schedule);
  std::string text =
      fmt::format("{} of rank {}: {} tasks\n", ssc.kinds()[q].queue(), index(rank), tasks.size());
  for (std::size_t i = 0; i < std::min(count, tasks.size()); ++i) {
    const TaskDescriptor& td = ssc.tasks()[tasks[i]];
    text += fmt::format(
        "{:>6}  task {:>6}  {:<24} expert {:>3}  src {:>3}  dst {:>3}  waits {:>6}  triggers {:>6} of {}\n",
        i, tasks[i], taskflow.task_name(index(rank), tasks[i]), number_text(td.expert, kNoExpert), td.src,
        td.dst, number_text(td.dependent_event), td.trigger_event, td.trigger_rank);
  }
  return text;
}

std::string show_task(const Schedule& schedule, RankId rank, TaskId task) {
  const Ssc& ssc = of_rank(schedule, rank);
  require(index(task) < ssc.tasks().size(), "task", index(task), ssc.tasks().size());
  const TaskDescriptor& td = ssc.tasks()[index(task)];
  std::string text = fmt::format("task {} of rank {}: {}\n", index(task), index(rank),
                                 TaskflowView(schedule).task_name(index(rank), index(task)));
  text += descriptor_text(td, ssc.kinds());
  for (const Region& region : ssc.inputs(td)) text += "  in   " + region_text(schedule, region) + '\n';
  for (const Region& region : ssc.outputs(td)) text += "  out  " + region_text(schedule, region) + '\n';
  if (td.dependent_event == kNone) return text + "  waits for nothing\n";
  return text + fmt::format("  waits for {} triggers of\n", ssc.events()[td.dependent_event].threshold) +
         producers_text(schedule, index(rank), td.dependent_event);
}

std::string show_event(const Schedule& schedule, RankId rank, EventId event) {
  const Ssc& ssc = of_rank(schedule, rank);
  require(index(event) < ssc.events().size(), "event", index(event), ssc.events().size());
  const EventDescriptor& descriptor = ssc.events()[index(event)];
  std::string text = fmt::format("event {} of rank {}: threshold {}{}\n  producers\n", index(event),
                                 index(rank), descriptor.threshold, descriptor.done ? ", done" : "");
  text += producers_text(schedule, index(rank), index(event));
  text += "  consumers\n";
  const TaskflowView taskflow(schedule);
  for (std::uint32_t t = 0; t < ssc.tasks().size(); ++t) {
    if (ssc.tasks()[t].dependent_event != index(event)) continue;
    text += fmt::format("    task {} of rank {}: {}\n", t, index(rank), taskflow.task_name(index(rank), t));
  }
  return text;
}

std::string show_totals(const Schedule& schedule) {
  of_rank(schedule, RankId{0});
  std::vector<std::uint64_t> tasks(schedule.front().operators().size());
  std::uint64_t all = 0, events = 0, bytes = 0;
  for (const Ssc& ssc : schedule) {
    for (const TaskDescriptor& td : ssc.tasks()) ++tasks[td.op];
    all += ssc.tasks().size();
    events += ssc.events().size();
    bytes += ssc.bytes().size();
  }
  const Ssc& first = schedule.front();
  std::string text =
      fmt::format("graph {}, order {}, {} ranks\n", first.graph(), first.order(), schedule.size());
  for (std::size_t op = 0; op < tasks.size(); ++op) {
    text += fmt::format("  {:<20}{:>9} tasks\n", first.operators()[op].name, tasks[op]);
  }
  const SharingReport sharing = sharing_report(schedule);
  text += fmt::format("  {:<20}{:>9} tasks, {} events, {} bytes, {:.1f} bytes per task\n", "all", all, events,
                      bytes, all == 0 ? 0.0 : static_cast<double>(bytes) / static_cast<double>(all));
  const double added = sharing.exact_pairs == 0 ? 0.0
                                                : 100.0 * static_cast<double>(sharing.shared_pairs) /
                                                          static_cast<double>(sharing.exact_pairs) -
                                                      100.0;
  return text +
         fmt::format(
             "  waiting: {} pairs by exact dependencies, {} by shared events ({:+.1f} %), {} Join tasks\n",
             sharing.exact_pairs, sharing.shared_pairs, added, sharing.joins);
}

namespace {

// Returns the number of task pairs of which one must wait for the other, or nullopt if that cannot be found
// rank by rank.
std::optional<std::uint64_t> exact_pairs_by_rank(const TaskflowView& taskflow) {
  RankDependencies by_rank(taskflow);
  if (!by_rank.complete()) return std::nullopt;
  std::uint64_t pairs = 0;
  for (std::uint32_t r = 0; r < taskflow.ranks.size(); ++r) {
    const Dependencies dependencies = by_rank.find(r);
    if (!Components(dependencies).rise(dependencies, taskflow.operators)) return std::nullopt;
    pairs += dependencies.pairs();
  }
  return pairs;
}

std::uint64_t exact_pairs(const TaskflowView& taskflow) {
  if (const std::optional<std::uint64_t> pairs = exact_pairs_by_rank(taskflow)) return *pairs;
  Dependencies dependencies = Dependencies::find(taskflow);
  Reduction(taskflow.operators).apply(dependencies);
  return dependencies.pairs();
}

}  // namespace

SharingReport sharing_report(const Schedule& schedule) {
  const TaskflowView taskflow(schedule);
  SharingReport report;
  report.exact_pairs = exact_pairs(taskflow);
  for (const TaskflowView::Rank& rank : taskflow.ranks) {
    for (const TaskDescriptor& td : rank.tasks) {
      if (td.dependent_event != kNone) report.shared_pairs += rank.events[td.dependent_event].threshold;
      if (td.task_type == static_cast<std::uint16_t>(TaskType::kJoin)) ++report.joins;
    }
  }
  return report;
}

}  // namespace a3sim
