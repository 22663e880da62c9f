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

// The part of all workers of a queue that ran tasks, over the whole makespan and all ranks.
double busy_part(const PassResult& pass, QueueType queue) {
  double busy = 0, whole = 0;
  for (std::size_t r = 0; r < pass.schedule.size(); ++r) {
    busy += seconds(pass.run.ranks[r].busy[static_cast<std::size_t>(queue)]);
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
  text += fmt::format(
      "machine   {}: {} AIC and {} AIV run tasks; network {}; L2 {}, {}, {}\n", experiment.hardware.name,
      experiment.workers[0], experiment.workers[1], experiment.network, experiment.run.l2.spec.policy,
      experiment.run.l2.exact ? "every line" : "pieces of tensors", name_of(experiment.run.l2.start));
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

// A part of all AIC's time.
std::string aic_part(const Causes& causes, WorkerTime time) {
  Duration part{}, whole{};
  for (const auto& rank : worker_times(causes)) {
    part += part_of(rank[0], time);
    for (const Duration of : rank[0]) whole += of;
  }
  return whole > Duration::zero() ? in_percent(seconds(part) / seconds(whole)) : "-";
}

std::string passes_table(std::span<const PassResult> passes, const std::deque<Causes>& causes) {
  Table table({"pass", "latency ms", "first rank ms", "bound ms", "binding", "AIC busy", "waits", "idle",
               "AIV busy", "sent MB/rank", "tasks", "events"});
  Duration total{}, bound{};
  for (std::size_t p = 0; p < passes.size(); ++p) {
    const PassResult& pass = passes[p];
    std::uint64_t tasks = 0;
    for (const RankResult& rank : pass.run.ranks) tasks += rank.tasks;
    table.add({pass.name, in_milliseconds(pass.run.makespan), in_milliseconds(earliest_end(pass.run)),
               in_milliseconds(pass.bounds.largest()), std::string(name_of(pass.bounds.binding())),
               fmt::format("{:.1f} %", 100 * busy_part(pass, QueueType::kCtq)),
               aic_part(causes[p], WorkerTime::kWait), aic_part(causes[p], WorkerTime::kIdle),
               fmt::format("{:.1f} %", 100 * busy_part(pass, QueueType::kVtq)),
               fmt::format("{:.1f}", static_cast<double>(most_sent(pass.run)) * 1e-6),
               fmt::format("{}", tasks), fmt::format("{}", pass.run.events)});
    total += pass.run.makespan;
    bound += pass.bounds.largest();
  }
  if (passes.size() > 1) {
    table.add({"total", in_milliseconds(total), "", in_milliseconds(bound), "", "", "", "", "", "", "", ""});
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
  std::string text = what_ran(experiment) + '\n' + passes_table(passes, causes) + '\n' + bounds_table(passes);
  for (std::size_t p = 0; p < passes.size(); ++p)
    text += '\n' + operators_table(passes[p], causes[p]) + '\n' + l2_table(passes[p]);
  return text;
}

}  // namespace a3sim
