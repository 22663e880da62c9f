#include "sim/result/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "sim/experiment/outcome/run_trace.h"
#include "sim/result/cable_files.h"
#include "sim/result/cable_report.h"
#include "sim/result/operator_report.h"
#include "sim/verdict/verdict.h"
#include "traces/analysis/worker_time.h"
#include "traces/trace_csv.h"
#include "version.h"

namespace a3sim {
namespace {

bool on_streams(const RunOutcome& pass) { return pass.trace->machine.streams; }

Duration earliest_end(const RunResult& run) {
  Duration earliest = run.makespan;
  for (const RankResult& rank : run.ranks) earliest = std::min(earliest, rank.end);
  return earliest;
}

// Returns the share of time in tasks of all workers of a kind, over the makespan and all ranks.
double busy_part(const RunOutcome& pass, std::uint32_t kind) {
  double busy = 0, whole = 0;
  for (const RankResult& rank : pass.sums.ranks) {
    busy += seconds(rank.busy[kind]);
    whole += seconds(pass.sums.makespan) * pass.lanes[kind].count;
  }
  return whole > 0 ? busy / whole : 0;
}

std::uint64_t most_sent(const RunResult& run) {
  std::uint64_t most = 0;
  for (const RankResult& rank : run.ranks) most = std::max(most, rank.sent);
  return most;
}

// Returns a share of the time of all workers of a kind.
Cell part_of_kind(const Causes& causes, std::uint32_t kind, WorkerTime time) {
  Duration part{}, all{};
  for (const auto& rank : worker_times(causes)) {
    part += part_of(rank[kind], time);
    for (const Duration time : rank[kind]) all += time;
  }
  return share(part, all);
}

// Adds how busy each kind is and, for the kind of matrix tasks, how the rest of its time goes.
void add_passes(std::span<const RunOutcome> passes, const std::deque<Causes>& causes, Report& report) {
  const WorkerKinds& kinds = passes.front().lanes;
  std::vector<Column> columns{Column::words("pass"), Column::milliseconds("latency ms"),
                              Column::milliseconds("first done ms", "first rank ms"),
                              Column::milliseconds("bound ms"), Column::words("limiter", "binding")};
  for (const WorkerKind& kind : kinds) {
    columns.push_back(Column::percent(kind.name + " busy"));
    if (kind.has(CoreUnit::kMatrix))
      columns.insert(columns.end(), {Column::percent("waits"), Column::percent("idle")});
  }
  columns.insert(columns.end(),
                 {Column::mega("sent MB/rank"), Column::count("tasks"), Column::count("events")});
  Table& table = report.table("", std::move(columns));
  Duration total{}, bound{};
  for (std::size_t p = 0; p < passes.size(); ++p) {
    const RunOutcome& pass = passes[p];
    std::vector<Cell> row{pass.name, pass.sums.makespan, earliest_end(pass.sums), pass.bounds.largest(),
                          std::string(name_of(pass.bounds.binding()))};
    for (std::uint32_t k = 0; k < kinds.size(); ++k) {
      row.emplace_back(busy_part(pass, k));
      if (!kinds[k].has(CoreUnit::kMatrix)) continue;
      for (const WorkerTime time : {WorkerTime::kWait, WorkerTime::kIdle})
        row.push_back(part_of_kind(causes[p], k, time));
    }
    std::uint64_t tasks = 0;
    for (const RankResult& rank : pass.sums.ranks) tasks += rank.tasks;
    row.insert(row.end(), {static_cast<double>(most_sent(pass.sums)), whole(tasks), whole(pass.sums.events)});
    table.add(std::move(row));
    total += pass.sums.makespan;
    bound += pass.bounds.largest();
  }
  if (passes.size() > 1) {
    std::vector<Cell> row{"total", total, "", bound};
    row.resize(table.columns().size(), "");
    table.add(std::move(row));
  }
}

void add_bounds(std::span<const RunOutcome> passes, Report& report) {
  std::vector<Column> columns{Column::words("lower bounds ms")};
  std::vector<std::uint32_t> shown;
  for (std::uint32_t b = 0; b < kBounds; ++b) {
    const auto bound = static_cast<Bound>(b);
    if (std::ranges::none_of(passes,
                             [&](const RunOutcome& pass) { return is_shown(bound, pass.bounds.time[b]); }))
      continue;
    shown.push_back(b);
    columns.push_back(Column::milliseconds(std::string(name_of(bound))));
  }
  Table& table = report.table("", std::move(columns));
  for (const RunOutcome& pass : passes) {
    std::vector<Cell> row{pass.name};
    for (const std::uint32_t b : shown) row.emplace_back(pass.bounds.time[b]);
    table.add(std::move(row));
  }
}

// Adds the passes of lanes that are streams. Work may go on behind the latency.
void add_stream_passes(std::span<const RunOutcome> passes, Report& report) {
  Table& table =
      report.table("latencies", {Column::words("pass"), Column::milliseconds("latency ms", "latency_ps"),
                                 Column::milliseconds("all ends ms", "makespan_ps"),
                                 Column::mega("sent MB/rank", "most_sent_bytes"), Column::count("tasks")});
  for (const RunOutcome& pass : passes) {
    std::size_t tasks = 0;
    for (const auto& rank : pass.trace->ranks) tasks += rank.size();
    for (const auto& host : pass.trace->hosts) tasks += host.size();
    table.add({pass.name, pass.latency, pass.trace->makespan, whole(most_sent(pass.sums)), whole(tasks)});
  }
}

// Returns the verdict on each pass, from its bounds and its critical path; other machines are not tried.
std::vector<Verdict> verdicts_of(std::span<const RunOutcome> passes, const std::deque<Causes>& causes) {
  std::vector<Verdict> verdicts;
  for (std::size_t p = 0; p < passes.size(); ++p) {
    const Bounds& bounds = passes[p].bounds;
    const bool bounded = bounds.largest() > Duration::zero();
    const CriticalPath path = critical_path(causes[p]);
    verdicts.push_back(verdict_of(passes[p].name, *passes[p].trace, &path, bounds.largest(),
                                  bounded ? bound_name(bounds) : ""));
  }
  return verdicts;
}

Report pass_report(const RunOutcome& pass, const Causes& causes, const Verdict& verdict) {
  Report report;
  report.fact("pass", pass.name).fact("latency_ps", pass.latency);
  if (on_streams(pass)) report.fact("makespan_ps", pass.trace->makespan);
  if (pass.trace->last != kNoTask)
    report.fact("last.rank", whole(pass.trace->last.rank)).fact("last.task", whole(pass.trace->last.task));
  if (pass.sums.events > 0) report.fact("events", whole(pass.sums.events));
  if (pass.bounds.largest() > Duration::zero()) {
    for (std::uint32_t b = 0; b < kBounds; ++b) {
      const auto bound = static_cast<Bound>(b);
      if (is_shown(bound, pass.bounds.time[b]))
        report.fact(fmt::format("bounds_ps.{}", name_of(bound)), pass.bounds.time[b]);
    }
    report.fact("binding", std::string(name_of(pass.bounds.binding())));
    if (!pass.bounds.cable.empty()) report.fact("bounding_cable", pass.bounds.cable);
  }
  if (on_streams(pass)) {
    add_stream_operators(pass, causes, report);
  } else {
    add_operators(pass, causes, report);
    add_l2(pass, report);
  }
  report.fact("verdict", verdict_text(verdict));
  add_ranks(pass, causes, report);
  add_hottest_cables(pass.sums.cables, report);
  return report;
}

}  // namespace

Report passes_report(std::span<const RunOutcome> passes) {
  std::deque<Causes> causes;
  for (const RunOutcome& pass : passes) causes.emplace_back(*pass.trace);
  const bool streams = on_streams(passes.front());
  Report report;
  if (streams) {
    add_stream_passes(passes, report);
  } else {
    add_passes(passes, causes, report);
    add_bounds(passes, report);
  }
  std::vector<PassCables> cables;
  for (const RunOutcome& pass : passes) cables.push_back({pass.name, &pass.sums.cables});
  add_cables(cables, report);
  const std::vector<Verdict> verdicts = verdicts_of(passes, causes);
  for (std::size_t p = 0; p < passes.size(); ++p)
    report.part("passes", pass_report(passes[p], causes[p], verdicts[p]));
  if (streams)
    report.say(
        "waited: a lane, for what its next task needs or for workers that others had. On the path: what the "
        "latency waited\n"
        "for; before it: its launch, submission or signal. Both sum to the latency.\n");
  std::string said;
  for (const Verdict& verdict : verdicts) said += verdict_text(verdict) + '\n';
  report.say(said);
  return report;
}

RunSummary run_summary(const Experiment& experiment, const PreparedWork& work,
                       std::span<const RunOutcome> passes) {
  OwnSections own = work.sections(experiment, passes);
  const bool traced = passes.front().trace.has_value();
  const Report common = traced ? passes_report(passes) : Report();
  RunSummary summary;
  summary.text = fmt::format("{} (a3sim {})\n{}", experiment.name, kVersion, own.head);
  for (const std::string& text :
       {own.before.text(), experiment.work->tells_passes() ? common.text() : std::string(), own.after.text()})
    if (!text.empty()) summary.text += '\n' + text;
  if (!traced) return summary;
  summary.json = result_head(experiment, *passes.front().trace, own.before.json());
  summary.json.update(common.json());
  summary.json["total_ps"] = total_of(passes).count();
  summary.json.update(own.after.json());
  summary.files = std::move(own.files);
  return summary;
}

RunSummary run_summary(const Experiment& experiment, const Compiled& compiled,
                       std::span<const PassResult> passes) {
  return run_summary(experiment, *prepared_schedules(compiled),
                     outcomes_of(experiment, passes, Record::kTrace));
}

std::vector<NamedFile> trace_files(const RunOutcome& pass) {
  const Trace& trace = *pass.trace;
  std::vector<NamedFile> files{{"tasks_" + pass.name + ".csv", tasks_csv(trace)},
                               {"causes_" + pass.name + ".csv", causes_csv(trace)}};
  const auto acts = [](const std::vector<HostActivity>& host) { return !host.empty(); };
  if (trace.machine.streams || std::ranges::any_of(trace.hosts, acts))
    files.push_back({"host_" + pass.name + ".csv", hosts_csv(trace)});
  add_cable_files(pass.name, trace, pass.sums.cables, files);
  return files;
}

}  // namespace a3sim
