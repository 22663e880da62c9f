#include "sim/study/summary/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "sim/study/summary/operator_report.h"
#include "sim/study/summary/run_trace.h"
#include "traces/analysis/worker_time.h"
#include "traces/report/table.h"
#include "version.h"

namespace a3sim {
namespace {

Duration earliest_end(const RunResult& run) {
  Duration earliest = run.makespan;
  for (const RankResult& rank : run.ranks) earliest = std::min(earliest, rank.end);
  return earliest;
}

// The part of all workers of a kind that ran tasks, over the whole makespan and all ranks.
double busy_part(const PassResult& pass, std::uint32_t queue) {
  double busy = 0, whole = 0;
  for (std::size_t r = 0; r < pass.schedule.size(); ++r) {
    busy += seconds(pass.run.ranks[r].busy[queue]);
    whole += seconds(pass.run.makespan) * pass.schedule[r].workers(queue);
  }
  return whole > 0 ? busy / whole : 0;
}

std::uint64_t most_sent(const RunResult& run) {
  std::uint64_t most = 0;
  for (const RankResult& rank : run.ranks) most = std::max(most, rank.sent);
  return most;
}

// What a reader must know to tell two routings apart.
std::string routing_text(const RoutingSpec& routing) {
  if (!Routings::get(routing.kind).draws()) return routing.kind;
  return fmt::format("{}, seed {}, skew {}", routing.kind, routing.seed, routing.skew);
}

std::string what_ran(const Experiment& experiment) {
  const MoeShape& s = experiment.shape;
  std::string text = fmt::format("{} (a3sim {})\n", experiment.name, kVersion);
  if (s.experts() > 0) {
    text += fmt::format(
        "MoE-FFN   EP{}, {} tokens a rank, hidden {}, intermediate {}, top-{} of {} experts, {}\n", s.ep,
        s.tokens, s.hidden, s.intermediate, s.top_k, s.experts(), name_of(s.dtype));
    text += fmt::format("routing   {}\n", routing_text(experiment.routing));
    if (!experiment.not_modelled.empty())
      text += fmt::format("left out  {}\n", fmt::join(experiment.not_modelled, "\n          "));
  }
  text += fmt::format("machine   {}: {} run tasks; network {}; L2 {}, {}, {}\n", experiment.hardware.name,
                      experiment.workers.text(), experiment.network, experiment.run.l2.spec.policy,
                      experiment.run.l2.exact ? "every line" : "pieces of tensors",
                      name_of(experiment.run.l2.start));
  text += fmt::format("schedule  {}, order {}, {} assignment, {} shares a tile, {} partitions an expert\n",
                      experiment.run.execution, experiment.order.name,
                      experiment.order.assignment == Assignment::kCyclic ? "cyclic" : "shared",
                      experiment.cut.shares, experiment.cut.partitions);
  if (experiment.kept > 0) {
    text += fmt::format(
        "ranks     {} of {} simulated, which stand for all as the group turns; tasks, events and bytes are "
        "theirs\n",
        experiment.kept, s.ep);
  }
  return text;
}

// A part of the time of all workers of a kind.
std::string part_of_kind(const Causes& causes, std::uint32_t kind, WorkerTime time) {
  Duration part{}, whole{};
  for (const auto& rank : worker_times(causes)) {
    part += part_of(rank[kind], time);
    for (const Duration of : rank[kind]) whole += of;
  }
  return whole > Duration::zero() ? in_percent(seconds(part) / seconds(whole)) : "-";
}

// How busy each kind is; of those that run matrix tasks, what else they do too.
std::vector<std::string> kinds_head(const WorkerKinds& kinds) {
  std::vector<std::string> head;
  for (const WorkerKind& kind : kinds) {
    head.push_back(kind.name + " busy");
    if (kind.has(CoreUnit::kMatrix)) head.insert(head.end(), {"waits", "idle"});
  }
  return head;
}

std::vector<std::string> kinds_cells(const WorkerKinds& kinds, const PassResult& pass, const Causes& causes) {
  std::vector<std::string> cells;
  for (std::uint32_t k = 0; k < kinds.size(); ++k) {
    cells.push_back(fmt::format("{:.1f} %", 100 * busy_part(pass, k)));
    if (!kinds[k].has(CoreUnit::kMatrix)) continue;
    for (const WorkerTime time : {WorkerTime::kWait, WorkerTime::kIdle})
      cells.push_back(part_of_kind(causes, k, time));
  }
  return cells;
}

std::string passes_table(const WorkerKinds& kinds, std::span<const PassResult> passes,
                         const std::deque<Causes>& causes) {
  std::vector<std::string> head{"pass", "latency ms", "first rank ms", "bound ms", "binding"};
  std::ranges::copy(kinds_head(kinds), std::back_inserter(head));
  head.insert(head.end(), {"sent MB/rank", "tasks", "events"});
  const std::size_t columns = head.size();
  Table table(head);
  Duration total{}, bound{};
  for (std::size_t p = 0; p < passes.size(); ++p) {
    const PassResult& pass = passes[p];
    std::uint64_t tasks = 0;
    for (const RankResult& rank : pass.run.ranks) tasks += rank.tasks;
    std::vector<std::string> row{
        pass.name, in_milliseconds(pass.run.makespan), in_milliseconds(earliest_end(pass.run)),
        in_milliseconds(pass.bounds.largest()), std::string(name_of(pass.bounds.binding()))};
    std::ranges::copy(kinds_cells(kinds, pass, causes[p]), std::back_inserter(row));
    row.insert(row.end(), {fmt::format("{:.1f}", static_cast<double>(most_sent(pass.run)) * 1e-6),
                           fmt::format("{}", tasks), fmt::format("{}", pass.run.events)});
    table.add_words(row);
    total += pass.run.makespan;
    bound += pass.bounds.largest();
  }
  if (passes.size() > 1) {
    std::vector<std::string> row{"total", in_milliseconds(total), "", in_milliseconds(bound)};
    row.resize(columns);
    table.add_words(row);
  }
  return table.text();
}

std::string bounds_table(std::span<const PassResult> passes) {
  std::vector<std::string> header{"lower bounds ms"};
  for (std::uint32_t b = 0; b < kBounds; ++b) header.emplace_back(name_of(static_cast<Bound>(b)));
  Table table(header);
  for (const PassResult& pass : passes) {
    std::vector<std::string> row{pass.name};
    for (const Duration time : pass.bounds.time) row.push_back(in_milliseconds(time));
    table.add_words(row);
  }
  return table.text();
}

}  // namespace

std::string summary_text(const Experiment& experiment, std::span<const PassResult> passes) {
  const std::vector<Trace> traces = traces_of(experiment, passes);
  const std::deque<Causes> causes(traces.begin(), traces.end());
  std::string text = what_ran(experiment) + '\n' + passes_table(experiment.workers, passes, causes) + '\n' +
                     bounds_table(passes);
  for (std::size_t p = 0; p < passes.size(); ++p)
    text += '\n' + operators_table(passes[p], causes[p]) + '\n' + l2_table(passes[p]);
  return text;
}

}  // namespace a3sim
