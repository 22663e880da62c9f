#include "sim/study/summary/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>

#include "sim/study/summary/cable_files.h"
#include "sim/study/summary/cable_report.h"
#include "sim/study/summary/operator_report.h"
#include "sim/study/summary/own_values.h"
#include "sim/study/summary/run_trace.h"
#include "sim/study/summary/saved_rows.h"
#include "sim/study/summary/saved_values.h"
#include "traces/analysis/worker_time.h"
#include "traces/trace_csv.h"
#include "version.h"

namespace a3sim {
namespace {

Duration earliest_end(const RunResult& run) {
  Duration earliest = run.makespan;
  for (const RankResult& rank : run.ranks) earliest = std::min(earliest, rank.end);
  return earliest;
}

// Returns the share of time in tasks of all workers of a kind, over the makespan and all ranks.
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

// Describes a routing so that it can be told from others.
std::string routing_text(const RoutingSpec& routing) {
  const RoutingGenerator& generator = Routings::get(routing.kind);
  if (!generator.draws()) return routing.kind;
  const auto [key, value] = generator.spread(routing);
  return fmt::format("{}, seed {}, {} {}", routing.kind, routing.seed, key, value);
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
  text +=
      fmt::format("machine   {}: {} run tasks; network {}; L2 {}, {}, {}\n", experiment.hardware.name,
                  experiment.workers.text(), experiment.network, experiment.run.l2.spec.policy,
                  experiment.run.l2.exact ? "every line" : "fast model", name_of(experiment.run.l2.start));
  text += own_values(experiment);
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
void add_passes(const WorkerKinds& kinds, std::span<const PassResult> passes,
                const std::deque<Causes>& causes, Report& report) {
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
    const PassResult& pass = passes[p];
    std::vector<Cell> row{pass.name, pass.run.makespan, earliest_end(pass.run), pass.bounds.largest(),
                          std::string(name_of(pass.bounds.binding()))};
    for (std::uint32_t k = 0; k < kinds.size(); ++k) {
      row.emplace_back(busy_part(pass, k));
      if (!kinds[k].has(CoreUnit::kMatrix)) continue;
      for (const WorkerTime time : {WorkerTime::kWait, WorkerTime::kIdle})
        row.push_back(part_of_kind(causes[p], k, time));
    }
    std::uint64_t tasks = 0;
    for (const RankResult& rank : pass.run.ranks) tasks += rank.tasks;
    row.insert(row.end(), {static_cast<double>(most_sent(pass.run)), whole(tasks), whole(pass.run.events)});
    table.add(std::move(row));
    total += pass.run.makespan;
    bound += pass.bounds.largest();
  }
  if (passes.size() > 1) {
    std::vector<Cell> row{"total", total, "", bound};
    row.resize(table.columns().size(), "");
    table.add(std::move(row));
  }
}

void add_bounds(std::span<const PassResult> passes, Report& report) {
  std::vector<Column> columns{Column::words("lower bounds ms")};
  for (std::uint32_t b = 0; b < kBounds; ++b)
    columns.push_back(Column::milliseconds(std::string(name_of(static_cast<Bound>(b)))));
  Table& table = report.table("", std::move(columns));
  for (const PassResult& pass : passes) {
    std::vector<Cell> row{pass.name};
    row.insert(row.end(), pass.bounds.time.begin(), pass.bounds.time.end());
    table.add(std::move(row));
  }
}

void add_ranks(const WorkerKinds& kinds, const PassResult& pass, const Causes& causes, Report& report) {
  std::vector<Column> columns{Column::data("end_ps"), Column::data("tasks")};
  const std::vector<PassSums::Workers> none(kinds.size());
  const L2Traffic no_traffic;
  describe_workers(kinds, none, DataColumns(columns));
  columns.insert(columns.end(), {Column::data("l2_read_bytes"), Column::data("l2_write_bytes")});
  describe_traffic(no_traffic, DataColumns(columns));
  columns.insert(columns.end(), {Column::data("sent_bytes"), Column::data("received_bytes")});
  Table& table = report.table("ranks", std::move(columns), Seen::kByPrograms);
  const auto times = worker_times(causes);
  for (std::size_t r = 0; r < times.size(); ++r) {
    const RankResult& rank = pass.run.ranks[r];
    std::vector<Cell> row{rank.end, whole(rank.tasks)};
    std::vector<PassSums::Workers> workers;
    for (std::uint32_t k = 0; k < kinds.size(); ++k)
      workers.push_back(
          {rank.busy[k], part_of(times[r][k], WorkerTime::kWait), part_of(times[r][k], WorkerTime::kIdle)});
    describe_workers(kinds, workers, DataCells(row));
    row.insert(row.end(), {rank.l2_read, rank.l2_write});
    describe_traffic(rank.l2, DataCells(row));
    row.insert(row.end(), {whole(rank.sent), whole(rank.received)});
    table.add(std::move(row));
  }
}

Report pass_report(const WorkerKinds& kinds, const PassResult& pass, const Causes& causes) {
  Report report;
  report.fact("pass", pass.name).fact("latency_ps", pass.run.makespan).fact("events", whole(pass.run.events));
  for (std::uint32_t b = 0; b < kBounds; ++b)
    report.fact(fmt::format("bounds_ps.{}", name_of(static_cast<Bound>(b))), pass.bounds.time[b]);
  report.fact("binding", std::string(name_of(pass.bounds.binding())));
  add_operators(pass, causes, report);
  add_l2(pass, report);
  add_ranks(kinds, pass, causes, report);
  add_hottest_cables(pass.run.cables, report);
  return report;
}

}  // namespace

Report summary_report(const Experiment& experiment, std::span<const PassResult> passes) {
  const std::vector<Trace> traces = traces_of(experiment, passes);
  const std::deque<Causes> causes(traces.begin(), traces.end());
  Report report;
  report.say(what_ran(experiment));
  add_passes(experiment.workers, passes, causes, report);
  add_bounds(passes, report);
  std::vector<PassCables> cables;
  for (const PassResult& pass : passes) cables.push_back({pass.name, &pass.run.cables});
  add_cables(cables, report);
  for (std::size_t p = 0; p < passes.size(); ++p)
    report.part("passes", pass_report(experiment.workers, passes[p], causes[p]));
  return report;
}

namespace {

TaskRow row_of(const TaskDescriptor& td, const TaskRecord& record) {
  TaskRow row;
  row.index = td.task_index;
  if (td.expert != kNoExpert) row.expert = td.gexpert;
  row.src = td.src;
  row.dst = td.dst;
  row.worker = record.worker;
  row.taken = record.taken.time_since_epoch();
  row.start = record.start.time_since_epoch();
  row.end = record.end.time_since_epoch();
  row.ideal = record.ideal;
  static_assert(kLimits == 5, "every limit has a column");
  const auto lost = [&](Limit limit) { return record.lost[static_cast<std::size_t>(limit)]; };
  row.lost_l2_read = lost(Limit::kL2Read);
  row.lost_l2_write = lost(Limit::kL2Write);
  row.lost_hbm = lost(Limit::kHbm);
  row.lost_link = lost(Limit::kLink);
  row.lost_miss = lost(Limit::kMiss);
  row.l2_read_hit = record.l2.read.hit;
  row.l2_read_miss = record.l2.read.miss;
  row.l2_write_hit = record.l2.write.hit;
  row.l2_write_miss = record.l2.write.miss;
  row.hbm_read = record.l2.hbm_read;
  row.hbm_write = record.l2.hbm_write;
  row.dependent_event = td.dependent_event;
  row.trigger_rank = td.trigger_rank;
  row.trigger_event = td.trigger_event;
  row.done = record.done.time_since_epoch();
  row.visible = record.visible.time_since_epoch();
  row.arithmetic = record.arithmetic;
  row.operations = record.operations;
  row.put_bytes = record.put_bytes;
  return row;
}

}  // namespace

std::string tasks_csv(const PassResult& pass) {
  std::string csv = csv_header<TaskRow>();
  for (std::uint32_t r = 0; r < pass.schedule.size(); ++r) {
    const Ssc& ssc = pass.schedule[r];
    std::vector<std::string> queues;
    for (const WorkerKind& kind : ssc.kinds()) queues.push_back(kind.queue());
    for (std::uint32_t t = 0; t < ssc.tasks().size(); ++t) {
      const TaskDescriptor& td = ssc.tasks()[t];
      TaskRow row = row_of(td, pass.run.ranks[r].records[t]);
      row.rank = r;
      row.task = t;
      row.op = ssc.operators()[td.op].name;
      row.queue = queues[td.queue_type];
      append_row(csv, row);
    }
  }
  return csv;
}

std::vector<NamedFile> trace_files(const Experiment& experiment, const PassResult& pass) {
  const Trace trace = trace_of(experiment, pass);
  std::vector<NamedFile> files{{"tasks_" + pass.name + ".csv", tasks_csv(pass)},
                               {"causes_" + pass.name + ".csv", causes_csv(trace)}};
  if (std::ranges::any_of(trace.hosts, [](const auto& host) { return !host.empty(); }))
    files.push_back({"host_" + pass.name + ".csv", hosts_csv(trace)});
  add_cable_files(pass.name, trace, pass.run.cables, files);
  return files;
}

}  // namespace a3sim
