#include "sim/study/summary/stream_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/experiment/first_batch.h"
#include "sim/study/summary/cable_files.h"
#include "sim/study/summary/cable_report.h"
#include "sim/study/summary/operator_report.h"
#include "sim/study/summary/own_values.h"
#include "sim/study/summary/report.h"
#include "sim/study/summary/saved_rows.h"
#include "sim/study/summary/saved_values.h"
#include "traces/analysis/critical_path.h"
#include "traces/analysis/worker_time.h"
#include "traces/trace_csv.h"
#include "version.h"

namespace a3sim {
namespace {

// The activities of one operator, on streams and on hosts.
struct Activities {
  std::string lane;
  std::int64_t count = 0;
  Duration from = Duration::max(), to{}, held{};
  Duration on_path{}, before{};  // on the critical path: their own time, and waits before them

  void add(const std::string& on, Duration start, Duration end) {
    lane = on;
    ++count;
    from = std::min(from, start);
    to = std::max(to, end);
    held += end - start;
  }
};

std::vector<Activities> activities_of(const Trace& trace, const CriticalPath& path) {
  std::vector<Activities> all(trace.operators.size());
  for (const std::vector<TraceTask>& tasks : trace.ranks) {
    for (const TraceTask& task : tasks) {
      const std::uint32_t lane = trace.machine.workers.queue_of(task.worker);
      all[task.op].add(trace.machine.workers[lane].name, task.start, task.end);
    }
  }
  for (const std::vector<HostActivity>& host : trace.hosts) {
    for (const HostActivity& activity : host) all[activity.op].add("HOST", activity.start, activity.end);
  }
  for (const PathStep& step : path.steps) {
    const bool own = step.ran || step.blame[static_cast<std::size_t>(Blame::kCollective)] > Duration::zero();
    (own ? all[step.op].on_path : all[step.op].before) += step.to - step.from;
  }
  return all;
}

std::vector<Column> operator_columns(const std::string& pass) {
  std::vector<Column> columns{Column::words(pass).for_people(),
                              Column::words("lane"),
                              Column::count("activities"),
                              Column::milliseconds("from ms", "from_ps"),
                              Column::milliseconds("to ms", "to_ps"),
                              Column::microseconds("mean us", "mean_ps"),
                              Column::microseconds("waited us").for_people(),
                              Column::milliseconds("on the path ms", "path_ps"),
                              Column::milliseconds("before it ms", "path_wait_ps"),
                              Column::percent("of latency", "path_share")};
  describe_operator(SavedOperator(), DataColumns(columns));
  return columns;
}

// A kernel's bytes pass the L2 without hits.
L2Traffic traffic_of(const TraceOperator& op) {
  L2Traffic traffic;
  traffic.read.bypass = static_cast<std::uint64_t>(op.l2_read) / kL2Request;
  traffic.write.bypass = static_cast<std::uint64_t>(op.l2_written) / kL2Request;
  traffic.hbm_read = static_cast<std::uint64_t>(op.hbm_read);
  return traffic;
}

void add_operators(const NamedStreamPass& pass, const Causes& causes, Report& report) {
  Table& table = report.table("operators", operator_columns(pass.name));
  const std::vector<OperatorStats> stats = operator_stats(causes);
  const std::vector<Activities> activities = activities_of(pass.trace, critical_path(causes));
  for (std::size_t op = 0; op < stats.size(); ++op) {
    const Activities& activity = activities[op];
    const OperatorStats& sums = stats[op];
    std::vector<Cell> cells{
        pass.trace.operators[op].name,
        activity.lane,
        activity.count,
        activity.from,
        activity.to,
        activity.held / activity.count,
        sums.tasks > 0 ? Cell(sums.waited / static_cast<std::int64_t>(sums.tasks)) : Cell(),
        unless_zero(activity.on_path),
        unless_zero(activity.before),
        share(activity.on_path + activity.before, pass.latency)};
    const TraceOperator& traced = pass.trace.operators[op];
    const SavedOperator saved{traced.name, traced.unit, traced.stage, sums, traffic_of(traced)};
    describe_operator(saved, DataCells(cells));
    table.add(std::move(cells));
  }
}

void add_ranks(const NamedStreamPass& pass, const Causes& causes, Report& report) {
  const WorkerKinds& lanes = pass.trace.machine.workers;
  std::vector<Column> columns{Column::data("tasks")};
  const std::vector<PassSums::Workers> none(lanes.size());
  describe_workers(lanes, none, DataColumns(columns));
  columns.push_back(Column::data("sent_bytes"));
  Table& table = report.table("ranks", std::move(columns), Seen::kByPrograms);
  const auto times = worker_times(causes);
  for (std::size_t r = 0; r < times.size(); ++r) {
    std::vector<Cell> row{whole(pass.trace.ranks[r].size())};
    std::vector<PassSums::Workers> workers;
    for (const WorkerTimes& lane : times[r]) {
      const Duration busy = part_of(lane, WorkerTime::kRun) + part_of(lane, WorkerTime::kMemory) +
                            part_of(lane, WorkerTime::kPuts);
      workers.push_back({busy, part_of(lane, WorkerTime::kWait), part_of(lane, WorkerTime::kIdle)});
    }
    describe_workers(lanes, workers, DataCells(row));
    row.push_back(whole(pass.sent[r]));
    table.add(std::move(row));
  }
}

Report report_of(const Experiment& experiment, const std::vector<NamedStreamPass>& passes) {
  const MoeShape& s = experiment.shape;
  Report report;
  report.say(
      fmt::format("{} (a3sim {})\nMoE-FFN   EP{}, {} tokens a rank, hidden {}, intermediate {}, top-{} of {} "
                  "experts, {}\n"
                  "machine   {}\nstreams   method {}, the first micro-batch of the first seed; 'a3sim "
                  "run --batches' runs them all\n",
                  experiment.name, kVersion, s.ep, s.tokens, s.hidden, s.intermediate, s.top_k, s.experts(),
                  name_of(s.dtype), experiment.hardware.name, experiment.work->micro_batches()->method) +
      own_values(experiment));
  Table& table =
      report.table("latencies", {Column::words("pass"), Column::milliseconds("latency ms", "latency_ps"),
                                 Column::milliseconds("all ends ms", "makespan_ps"),
                                 Column::mega("sent MB/rank", "most_sent_bytes"), Column::count("tasks")});
  for (const NamedStreamPass& pass : passes) {
    std::size_t tasks = 0;
    for (const auto& rank : pass.trace.ranks) tasks += rank.size();
    for (const auto& host : pass.trace.hosts) tasks += host.size();
    table.add({pass.name, pass.latency, pass.trace.makespan, whole(*std::ranges::max_element(pass.sent)),
               whole(tasks)});
  }
  std::vector<PassCables> cables;
  for (const NamedStreamPass& pass : passes) cables.push_back({pass.name, &pass.cables});
  add_cables(cables, report);
  for (const NamedStreamPass& pass : passes) report.part("passes", stream_pass_report(pass));
  report.say(
      "waited: a lane, for what its next task needs or for workers that others had. On the path: what the "
      "latency waited\n"
      "for; before it: its launch, submission or signal. Both sum to the latency.\n");
  return report;
}

}  // namespace

Report stream_pass_report(const NamedStreamPass& pass) {
  const Causes causes(pass.trace);
  Report report;
  report.fact("pass", pass.name).fact("latency_ps", pass.latency).fact("makespan_ps", pass.trace.makespan);
  if (pass.trace.last != kNoTask)
    report.fact("last.rank", whole(pass.trace.last.rank)).fact("last.task", whole(pass.trace.last.task));
  add_operators(pass, causes, report);
  add_ranks(pass, causes, report);
  add_hottest_cables(pass.cables, report);
  return report;
}

nlohmann::ordered_json stream_result_json(const Experiment& experiment, const std::string& method,
                                          const Trace& trace) {
  std::vector<std::uint32_t> lanes;
  for (const WorkerKind& lane : trace.machine.workers) lanes.push_back(lane.count);
  return {{"schema_version", 1},
          {"a3sim", kVersion},
          {"name", experiment.name},
          {"hardware", experiment.hardware.name},
          {"execution", kStreams},
          {"method", method},
          {"network", experiment.network},
          {"workers", lanes},
          {"kinds", kinds_json(trace.machine.workers)},
          {"machine", machine_json(trace.machine, std::vector<Duration>(trace.ranks.size()))}};
}

std::vector<NamedStreamPass> run_first_batch(const Experiment& experiment) {
  const FirstBatch first(experiment);
  std::vector<NamedStreamPass> passes;
  for (std::size_t p = 0; p < FirstBatch::pass_names().size(); ++p) {
    StreamPass pass = first.write(experiment, p);
    first.run(pass, experiment, nullptr);
    passes.push_back({FirstBatch::pass_names()[p], trace_of(experiment, pass), pass.latency(),
                      pass.result.sent, pass.result.cables});
  }
  return passes;
}

RunSummary stream_summary(const Experiment& experiment, const std::vector<NamedStreamPass>& passes) {
  const Report report = report_of(experiment, passes);
  RunSummary summary{report.text(), stream_result_json(experiment, experiment.work->micro_batches()->method,
                                                       passes.front().trace)};
  summary.json.update(report.json());
  return summary;
}

std::vector<NamedFile> trace_files(const NamedStreamPass& pass) {
  std::vector<NamedFile> files{{"tasks_" + pass.name + ".csv", tasks_csv(pass.trace)},
                               {"causes_" + pass.name + ".csv", causes_csv(pass.trace)},
                               {"host_" + pass.name + ".csv", hosts_csv(pass.trace)}};
  add_cable_files(pass.name, pass.trace, pass.cables, files);
  return files;
}

}  // namespace a3sim
