#include "traces/analysis/explanation.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/analysis/held_links.h"
#include "traces/analysis/operator_blame.h"
#include "traces/analysis/pass_sums.h"

namespace a3sim {
namespace {

// One entry per Blame.
constexpr std::string_view kDescribed[kBlames] = {"cube arithmetic",
                                                  "vector arithmetic",
                                                  "cores' own loads and stores",
                                                  "puts at the rate of one worker",
                                                  "the bandwidth of L2 reads",
                                                  "the bandwidth of L2 writes",
                                                  "the HBM's bandwidth",
                                                  "L2 misses",
                                                  "puts that share a port",
                                                  "latencies between ranks",
                                                  "waiting for triggers to be seen",
                                                  "handing out tasks",
                                                  "launching kernels",
                                                  "the host's preparation of collectives",
                                                  "the host's own work",
                                                  "kernels known only by their time"};

// Adds shares of all workers' time. The times of each rank are among the report's ranks.
void add_workers(Report& report, const Trace& trace, const Explanation& explanation, std::uint32_t rank) {
  std::vector<Column> columns{Column::words(rank == kNone ? "workers' time, all ranks"
                                                          : fmt::format("workers' time, rank {}", rank))};
  for (const std::string_view name : kNamesOf<WorkerTime>)
    columns.push_back(Column::percent(std::string(name)));
  Table& table = report.table("", std::move(columns));
  const WorkerKinds& kinds = trace.machine.workers;
  for (std::uint32_t kind = 0; kind < kinds.size(); ++kind) {
    WorkerTimes sums{};
    Duration whole{};
    for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
      if (rank != kNone && r != rank) continue;
      for (std::uint32_t t = 0; t < kWorkerTimes; ++t) sums[t] += explanation.workers[r][kind][t];
    }
    for (const Duration time : sums) whole += time;
    std::vector<Cell> row{kinds[kind].name};
    for (const Duration time : sums) row.push_back(share(time, whole));
    table.add(std::move(row));
  }
}

std::string operators_text(const Trace& trace, const std::vector<std::uint32_t>& ops) {
  constexpr std::size_t kNamed = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, ops.size()); ++i)
    text += (i ? ", " : "") + trace.operators[ops[i]].name;
  return ops.size() > kNamed ? text + fmt::format(", {} more", ops.size() - kNamed) : text;
}

void add_stretches(Report& report, const Trace& trace, const CriticalPath& path) {
  constexpr std::size_t kMostStretches = 20;
  Table& table =
      report.table("", {Column::words("critical path"), Column::milliseconds("from ms"),
                        Column::milliseconds("to ms"), Column::count("tasks"), Column::words("mostly")});
  for (const PathStretch& stretch : summarise(path, kMostStretches)) {
    const Blame most = stretch.most();
    const Duration time = stretch.blame[static_cast<std::size_t>(most)];
    const double of_it = seconds(time) / seconds(stretch.to - stretch.from);
    table.add({operators_text(trace, stretch.ops), stretch.from, stretch.to, whole(stretch.tasks),
               fmt::format("{} {}",
                           most == Blame::kLink ? link_name(trace, path, stretch.from, stretch.to)
                                                : std::string(name_of(most)),
                           in_percent(of_it))});
  }
}

void add_steps(Report& report, const Trace& trace, const CriticalPath& path) {
  std::vector<Column> columns;
  for (const char* key : {"from_ps", "to_ps", "operator", "what", "rank", "task", "worker"})
    columns.push_back(Column::data(key));
  for (const std::string_view name : kNamesOf<Blame>)
    columns.push_back(Column::data(fmt::format("blame_ps.{}", name)));
  Table& table = report.table("critical_path", std::move(columns), Audience::kPrograms);
  for (const PathSegment& segment : path.segments) {
    std::vector<Cell> row{segment.from, segment.to, trace.operators[segment.op].name};
    if (segment.task == kNoTask) {
      row.insert(row.end(), {"host", Cell(), Cell(), Cell()});
    } else {
      row.insert(row.end(), {segment.ran ? "run" : "wait", whole(segment.task.rank), whole(segment.task.task),
                             whole(trace.ranks[segment.task.rank][segment.task.task].worker)});
    }
    for (const Duration time : segment.blame) row.push_back(unless_zero(time));
    table.add(std::move(row));
  }
}

// Adds communication. People see it if there is any, and only the mean of many ranks; programs see all
// times.
void add_ranks(Report& report, const Trace& trace, const Explanation& explanation, std::uint32_t rank) {
  constexpr std::size_t kMostRanks = 16;
  std::vector<Column> columns{Column::words("communication").for_people(),
                              Column::data("rank"),
                              Column::milliseconds("ms").for_people(),
                              Column::milliseconds("hidden ms", "hidden_communication_ps"),
                              Column::milliseconds("exposed ms", "exposed_communication_ps"),
                              Column::percent("hidden").for_people(),
                              Column::percent("exposed of the latency").for_people()};
  for (const WorkerKind& kind : trace.machine.workers) {
    for (const std::string_view name : kNamesOf<WorkerTime>)
      columns.push_back(Column::data(fmt::format("{}_time_ps.{}", kind.key(), name)));
  }
  Table& table = report.table("ranks", std::move(columns));
  const auto add = [&](const std::string& name, Cell number, const Overlap& overlap,
                       const std::vector<WorkerTimes>& workers, Audience seen) {
    std::vector<Cell> row{name,
                          std::move(number),
                          overlap.hidden + overlap.exposed,
                          overlap.hidden,
                          overlap.exposed,
                          share(overlap.hidden, overlap.hidden + overlap.exposed),
                          share(overlap.exposed, trace.makespan)};
    for (const WorkerTimes& times : workers) row.insert(row.end(), times.begin(), times.end());
    table.add(std::move(row), seen);
  };
  Overlap sum;
  for (const Overlap& overlap : explanation.overlaps) {
    sum.hidden += overlap.hidden;
    sum.exposed += overlap.exposed;
  }
  const std::size_t ranks = trace.ranks.size();
  const bool any = sum.hidden + sum.exposed > Duration::zero();
  for (std::uint32_t r = 0; r < ranks; ++r) {
    if (rank != kNone && r != rank) continue;
    const bool shown = any && (rank != kNone || ranks <= kMostRanks);
    add(fmt::format("rank {}", r), whole(r), explanation.overlaps[r], explanation.workers[r],
        shown ? Audience::kAll : Audience::kPrograms);
  }
  const auto count = static_cast<std::int64_t>(ranks);
  if (any && rank == kNone)
    add("mean", {}, {sum.hidden / count, sum.exposed / count},
        std::vector<WorkerTimes>(trace.machine.workers.size()), Audience::kPeople);
}

std::string_view roof_name(const TraceMachine& machine, const TraceOperator& op, const Roofline& roof) {
  if (op.unit == TaskUnit::kPut) return machine.collectives ? "collective" : "port";
  if (roof.roof() < roof.peak) return roof.l2_bound ? "L2" : "HBM";
  return op.unit == TaskUnit::kCube ? "cube" : "vector";
}

void add_roofs(Report& report, const Trace& trace, const std::vector<Roofline>& roofs) {
  Table& table = report.table("roofline", {Column::words("roofline, per rank", "operator"),
                                           {"ops", "operations", Form::kPrefixed},
                                           Column::mega("HBM MB", "hbm_bytes"),
                                           Column::mega("L2 MB", "l2_bytes"),
                                           Column::number("ops/HBM byte", "operations_per_hbm_byte", 2),
                                           Column::number("ops/L2 byte", "operations_per_l2_byte", 2),
                                           Column::words("reached /s").for_people(),
                                           Column::words("roof /s").for_people(),
                                           Column::percent("of it").for_people(),
                                           Column::words("roof is", "roof_is"),
                                           Column::data("unit"),
                                           Column::data("achieved_per_s"),
                                           Column::data("peak_per_s"),
                                           Column::data("memory_per_s"),
                                           Column::data("roof_per_s")});
  for (std::size_t op = 0; op < roofs.size(); ++op) {
    const Roofline& r = roofs[op];
    const TraceOperator& trace_operator = trace.operators[op];
    const bool put = trace_operator.unit == TaskUnit::kPut;
    const char* bytes = put ? "B" : "";
    table.add(
        {trace_operator.name, put ? Cell() : r.operations, r.hbm_bytes, r.l2_bytes, unless_zero(r.intensity),
         unless_zero(r.l2_intensity), with_prefix(r.achieved) + bytes, with_prefix(r.roof()) + bytes,
         share(r.achieved, r.roof()), std::string(roof_name(trace.machine, trace_operator, r)),
         std::string(name_of(trace_operator.unit)), r.achieved, r.peak, r.memory, r.roof()},
        r.achieved == 0 ? Audience::kPrograms : Audience::kAll);
  }
}

}  // namespace

std::string_view transfers_of(const TraceMachine& machine) {
  return machine.collectives || machine.streams ? "exchanges" : "puts";
}

// A rank's collective has one rate for all that it sends, which its port may be too slow for.
std::string described(Blame blame, const TraceMachine& machine) {
  const std::string_view moved = transfers_of(machine);
  if (moved != "puts" && blame == Blame::kPut) return "exchanges at their own rate";
  if (blame == Blame::kLink)
    return fmt::format("{} that share a {}", moved, machine.collectives ? "rank's rate" : "port");
  return std::string(kDescribed[static_cast<std::size_t>(blame)]);
}

Explanation explain(const Trace& trace) {
  const Causes causes(trace);
  return {worker_times(causes), critical_path(causes), overlaps(trace), rooflines(trace)};
}

Report explanation_report(const std::string& pass, const Trace& trace, const Explanation& explanation,
                          std::uint32_t rank) {
  Report report;
  report.fact("pass", pass).fact("makespan_ps", trace.makespan);
  report.say(fmt::format("{}: latency {}\n", pass, in_ms_or_s(trace.makespan)));
  if (trace.latency() < trace.makespan) {
    report.say(
        fmt::format("latency {}: what goes on behind it is not waited for\n", in_ms_or_s(trace.latency())));
  }
  if (trace.inferred)
    report.say(
        "why tasks started was not written by the a3sim that ran them: it is inferred from their times\n");
  add_workers(report, trace, explanation, rank);
  add_stretches(report, trace, explanation.path);
  add_steps(report, trace, explanation.path);
  add_blame(report, "blame ms", blame_of(trace, explanation.path));
  add_links(report, trace, explanation.path);
  add_ranks(report, trace, explanation, rank);
  add_roofs(report, trace, explanation.roofs);
  add_reuse(report, trace);
  return report;
}

}  // namespace a3sim
