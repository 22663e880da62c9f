#include "sim/check/data_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "scheduler/ssc/taskflow_view.h"

namespace a3sim {
namespace {

Table& add_outcomes(Report& report, const std::string& key) {
  return report.table_on(
      key, {Column::words("pass"), Column::words("held up", "held_up"), Column::words("tensor"),
            Column::count("elements"), Column::count("different"), Column::count("no number", "no_number"),
            Column::number("ulp at most", "worst_ulp", 1), Column::words("verdict")});
}

void add(const DataCheck::Pass& pass, const std::string& held, std::span<const TensorComparison> outcome,
         Table& table, std::vector<std::string>& faults) {
  for (const TensorComparison& comparison : outcome) {
    table.add({pass.name, held.empty() ? Cell() : held, comparison.tensor, whole(comparison.elements),
               whole(comparison.different), whole(comparison.unwritten), comparison.worst_ulp,
               comparison.right() ? "equal" : "WRONG"});
    if (comparison.right()) continue;
    faults.push_back(fmt::format("{}: {} of the {} elements of {} are wrong ({} no number){}", pass.name,
                                 comparison.different, comparison.elements, comparison.tensor,
                                 comparison.unwritten, held.empty() ? "" : " with " + held + " held up"));
  }
}

void count_task(const Ssc& ssc, const TaskDescriptor& td, Structure& structure) {
  const Region& output = ssc.outputs(td)[0];
  if (Operators::get(ssc.operators()[td.op].type).mover() != Mover::kNone) {
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

// Describes the structure of the schedules and the routing, in a line.
std::string structure_text(const DataCheck& check) {
  const Structure structure = structure_of(check);
  std::string text = plural(check.data_case().experiment.shape.ep, "rank");
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

Report headed(const DataCheck& check) {
  const DataCase& data_case = check.data_case();
  std::string text = fmt::format("{} with real tensors, order {}, at {}\n  {}\n", data_case.experiment.name,
                                 data_case.experiment.order.name, data_case.shape, structure_text(check));
  for (const DataCheck::Pass& pass : check.passes())
    text += fmt::format("{} against {}\n", pass.name, name_of(pass.oracle));
  Report report;
  report.fact("name", data_case.experiment.name)
      .fact("order", data_case.experiment.order.name)
      .say(text + '\n');
  return report;
}

// The tasks named by `OP` or `OP:INDEX`.
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

// Returns these tasks, those at the front of the queues first.
std::vector<TaskPlace> find_tasks(const DataCheck::Pass& pass, const Which& which) {
  std::vector<TaskPlace> places;
  for (std::uint32_t rank = 0; rank < pass.schedule.size(); ++rank) {
    const Ssc& ssc = pass.schedule[rank];
    for (std::uint32_t q = 0; q < ssc.queues(); ++q) {
      for (const std::uint32_t task : ssc.queue(q)) {
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

// Adds the outcomes with and without a wait, with the awaited task delayed.
void add_exposed(const DataCheck::Pass& pass, TaskPlace waiting, const Exposed& exposed,
                 DataFindings& findings) {
  const std::string late = name_of_task(pass, exposed.late), reader = name_of_task(pass, waiting);
  findings.report.say_on(
      fmt::format("{} starts {} ms late; {} waits:\n", late, in_milliseconds(exposed.by), reader));
  add(pass, late, exposed.waiting, add_outcomes(findings.report, "waiting"), findings.faults);
  findings.report.say(fmt::format("{} does not wait:\n", reader));
  add(pass, late, exposed.outcome, add_outcomes(findings.report, "not_waiting"), findings.faults);
}

}  // namespace

std::uint32_t idle_experts(const DataCase& data_case) {
  const MoeShape& shape = data_case.experiment.shape;
  const RoutingCounts counts = data_case.routed.counts(shape);
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
  structure.partitions = check.data_case().experiment.cut.partitions;
  structure.fewest_blocks = structure.shortest_put = kMost;
  for (const DataCheck::Pass& pass : check.passes()) {
    for (const Ssc& ssc : pass.schedule) {
      for (const TaskDescriptor& td : ssc.tasks()) {
        if (td.num_outputs > 0) count_task(ssc, td, structure);
      }
    }
  }
  const MoeShape& shape = check.data_case().experiment.shape;
  structure.experts = shape.experts();
  structure.idle_experts = idle_experts(check.data_case());
  return structure;
}

DataFindings check_data(const DataCheck& check, const Adversary& adversary) {
  DataFindings findings{headed(check), {}};
  Table& table = add_outcomes(findings.report, "tensors");
  for (const DataCheck::Pass& pass : check.passes()) {
    const auto add_held = [&](const std::string& held, const Delays& delays) {
      add(pass, held, check.run(pass, pass.schedule, delays), table, findings.faults);
    };
    add(pass, "", pass.outcome, table, findings.faults);
    // Long enough to reverse any order, short enough that delays of different tasks overlap.
    if (adversary.seed) {
      add_held(fmt::format("seed {}", *adversary.seed),
               drawn_delays(pass.schedule, *adversary.seed, pass.makespan));
    }
    const std::span<const OperatorInfo> operators = pass.schedule.front().operators();
    for (std::uint32_t op = 0; adversary.all && op < operators.size(); ++op)
      add_held(operators[op].name, held_operator(pass.schedule, OpId{op}, 2 * pass.makespan));
  }
  return findings;
}

DataFindings drop_wait(const DataCheck& check, const std::string& text) {
  const Which which = parse(text);
  DataFindings findings{headed(check), {}};
  bool found = false;
  for (const DataCheck::Pass& pass : check.passes()) {
    for (const TaskPlace waiting : find_tasks(pass, which)) {
      found = true;
      const std::optional<Exposed> exposed = expose(check, pass, waiting);
      if (!exposed) continue;
      add_exposed(pass, waiting, *exposed, findings);
      return findings;
    }
  }
  if (!found) throw InputError(fmt::format("no task '{}' that waits for an event", text));
  findings.report.say_on(
      fmt::format("{} no longer waits, and the result is right whichever of those that it waited "
                  "for is late:\nothers wait for the same where it matters, or it has no rows\n",
                  text));
  return findings;
}

}  // namespace a3sim
