#include "sim/study/data/data_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "scheduler/taskflow_view.h"
#include "sim/study/summary/report.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

// Rows of the outcome table, and its faults.
class Outcomes {
 public:
  void add(const DataCheck::Pass& pass, const std::string& held, std::span<const TensorComparison> outcome) {
    for (const TensorComparison& of : outcome) {
      table_.add({pass.name, held, of.tensor, fmt::format("{}", of.elements), fmt::format("{}", of.different),
                  fmt::format("{}", of.unwritten), fmt::format("{:.1f}", of.worst_ulp),
                  of.right() ? "equal" : "WRONG"});
      if (of.right()) continue;
      findings_.faults.push_back(fmt::format("{}: {} of the {} elements of {} are wrong ({} no number){}",
                                             pass.name, of.different, of.elements, of.tensor, of.unwritten,
                                             held == "-" ? "" : " with " + held + " held up"));
    }
  }

  DataFindings findings() && {
    findings_.text = table_.text();
    return std::move(findings_);
  }

 private:
  Table table_{{"pass", "held up", "tensor", "elements", "different", "no number", "ulp at most", "verdict"}};
  DataFindings findings_;
};

void count_task(const Ssc& ssc, const TaskDescriptor& td, Structure& structure) {
  const Region& output = ssc.outputs(td)[0];
  if (td.task_type == static_cast<std::uint16_t>(TaskType::kPutMemSignal)) {
    structure.shortest_put = std::min(structure.shortest_put, output.rows().size());
    structure.longest_put = std::max(structure.longest_put, output.rows().size());
  }
  if (td.tiling_data_position == kNone || output.shares < 2) return;
  const Tiling& tiling = ssc.tilings()[td.tiling_data_position];
  const std::uint32_t cols = ssc.tensors()[output.tensor].cols;
  const std::uint32_t blocks = ((output.rows().size() + tiling.base_m - 1) / tiling.base_m) *
                               ((cols + tiling.base_n - 1) / tiling.base_n);
  const std::uint32_t of_share = (blocks - output.share + output.shares - 1) / output.shares;
  structure.fewest_blocks = std::min(structure.fewest_blocks, of_share);
  structure.most_blocks = std::max(structure.most_blocks, of_share);
}

std::string plural(std::uint32_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// What the schedules and the routing have, a line.
std::string structure_text(const DataCheck& check) {
  const Structure structure = structure_of(check);
  std::string text = plural(check.of().experiment.shape.ep, "rank");
  if (structure.experts > 0) {
    text += fmt::format(", {} ({} without rows), {}", plural(structure.experts, "expert"),
                        structure.idle_experts, plural(structure.partitions, "partition"));
  }
  if (structure.most_blocks > 0)
    text += fmt::format(", {} to {} base blocks a share", structure.fewest_blocks, structure.most_blocks);
  if (structure.longest_put > 0)
    text += fmt::format(", puts of {} to {} rows", structure.shortest_put, structure.longest_put);
  return text;
}

std::string heading(const DataCheck& check) {
  const DataCase& of = check.of();
  std::string text = fmt::format("{} with real tensors, order {}, at {}\n  {}\n", of.experiment.name,
                                 of.experiment.order.name, of.shape, structure_text(check));
  for (const DataCheck::Pass& pass : check.passes())
    text += fmt::format("{} against {}\n", pass.name, name_of(pass.oracle));
  return text + '\n';
}

// OP or OP:INDEX.
struct Which {
  std::string op;
  std::optional<std::uint32_t> index;
};

Which parse(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {text, {}};
  std::uint32_t index = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + colon + 1, end, index);
  if (error != std::errc() || stopped != end)
    throw InputError(fmt::format("'{}': expected an operator, or OPERATOR:INDEX of one of its tasks", text));
  return {text.substr(0, colon), index};
}

// The tasks that are meant, those in front of the queues first.
std::vector<TaskPlace> find_tasks(const DataCheck::Pass& pass, const Which& which) {
  std::vector<TaskPlace> places;
  for (std::uint32_t rank = 0; rank < pass.schedule.size(); ++rank) {
    const Ssc& ssc = pass.schedule[rank];
    for (const QueueType queue : {QueueType::kCtq, QueueType::kVtq}) {
      for (const std::uint32_t task : ssc.queue(queue)) {
        const TaskDescriptor& td = ssc.tasks()[task];
        if (ssc.operators()[td.op].name != which.op || td.dependent_event == kNone) continue;
        if (!which.index || td.task_index == *which.index) places.push_back({rank, task});
      }
    }
  }
  return places;
}

std::string name_of_task(const DataCheck::Pass& pass, TaskPlace place) {
  return fmt::format("{} of rank {}", TaskflowView(pass.schedule).task_name(place.rank, place.task),
                     place.rank);
}

// The outcome with a wait and without, what it waited for being late.
DataFindings compared(const DataCheck::Pass& pass, TaskPlace waiting, const Exposed& exposed) {
  const std::string late = name_of_task(pass, exposed.late), reader = name_of_task(pass, waiting);
  Outcomes with, without;
  with.add(pass, late, exposed.waiting);
  without.add(pass, late, exposed.outcome);
  const DataFindings before = std::move(with).findings();
  DataFindings after = std::move(without).findings();
  after.text = fmt::format("{} starts {} ms late; {} waits:\n{}\n{} does not wait:\n{}", late,
                           in_milliseconds(exposed.by), reader, before.text, reader, after.text);
  after.faults.insert(after.faults.begin(), before.faults.begin(), before.faults.end());
  return after;
}

}  // namespace

std::uint32_t idle_experts(const DataCase& of) {
  const MoeShape& shape = of.experiment.shape;
  const RoutingCounts counts = of.routed.counts(shape);
  std::uint32_t idle = 0;
  for (std::uint32_t expert = 0; expert < shape.experts(); ++expert) {
    std::uint64_t rows = 0;
    for (std::uint32_t src = 0; src < shape.ep; ++src) rows += counts.at(src, expert);
    if (rows == 0) ++idle;
  }
  return idle;
}

Structure structure_of(const DataCheck& check) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  Structure structure;
  structure.partitions = check.of().experiment.cut.partitions;
  structure.fewest_blocks = structure.shortest_put = kMost;
  for (const DataCheck::Pass& pass : check.passes()) {
    for (const Ssc& ssc : pass.schedule) {
      for (const TaskDescriptor& td : ssc.tasks()) {
        if (td.num_outputs > 0) count_task(ssc, td, structure);
      }
    }
  }
  const MoeShape& shape = check.of().experiment.shape;
  structure.experts = shape.experts();
  structure.idle_experts = idle_experts(check.of());
  return structure;
}

DataFindings check_data(const DataCheck& check, const Adversary& adversary) {
  Outcomes outcomes;
  for (const DataCheck::Pass& pass : check.passes()) {
    outcomes.add(pass, "-", pass.outcome);
    if (adversary.seed) {
      // Long enough to turn any order round, short enough that delays of different tasks meet.
      const Delays delays = drawn_delays(pass.schedule, *adversary.seed, pass.makespan);
      outcomes.add(pass, fmt::format("seed {}", *adversary.seed), check.run(pass, pass.schedule, delays));
    }
    const std::span<const OperatorInfo> operators = pass.schedule.front().operators();
    for (std::uint32_t op = 0; adversary.all && op < operators.size(); ++op) {
      const Delays delays = held_operator(pass.schedule, OpId{op}, 2 * pass.makespan);
      outcomes.add(pass, operators[op].name, check.run(pass, pass.schedule, delays));
    }
  }
  DataFindings findings = std::move(outcomes).findings();
  findings.text = heading(check) + findings.text;
  return findings;
}

DataFindings drop_wait(const DataCheck& check, const std::string& text) {
  const Which which = parse(text);
  DataFindings findings;
  bool found = false;
  for (const DataCheck::Pass& pass : check.passes()) {
    for (const TaskPlace waiting : find_tasks(pass, which)) {
      found = true;
      const std::optional<Exposed> exposed = expose(check, pass, waiting);
      if (!exposed) continue;
      findings = compared(pass, waiting, *exposed);
      findings.text = heading(check) + findings.text;
      return findings;
    }
  }
  if (!found) throw InputError(fmt::format("no task '{}' that waits for an event", text));
  findings.text =
      heading(check) + fmt::format(
                           "{} no longer waits, and the result is right whichever of those that it waited "
                           "for is late:\nothers wait for the same where it matters, or it has no rows\n",
                           text);
  return findings;
}

}  // namespace a3sim
