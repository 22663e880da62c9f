#include "sim/result/operator_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/result/saved_rows.h"
#include "sim/result/saved_values.h"
#include "traces/analysis/critical_path.h"
#include "traces/analysis/worker_time.h"

namespace a3sim {
namespace {

// Returns "SwiGLU 61 %, GMM2 39 %": the three operators that left most of the data found.
std::string left_by_text(const RunOutcome& pass, const std::vector<std::uint64_t>& left_by) {
  std::vector<std::pair<std::uint64_t, std::size_t>> largest;
  std::uint64_t all = 0;
  for (std::size_t op = 0; op < left_by.size(); ++op) {
    all += left_by[op];
    if (left_by[op] > 0) largest.emplace_back(left_by[op], op);
  }
  std::sort(largest.begin(), largest.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, largest.size()); ++i) {
    text += fmt::format("{}{} {:.0f} %", i ? ", " : "", pass.trace->operators[largest[i].second].name,
                        100 * static_cast<double>(largest[i].first) / static_cast<double>(all));
  }
  return text.empty() ? "-" : text;
}

// Returns "link 47.7 %": the limit to which an operator's tasks lost most of their time.
std::string lost_to(const OperatorStats& stats) {
  const std::uint32_t worst = stats.worst_limit();
  if (worst == kLimits) return "-";
  return fmt::format("{} {:.1f} %", name_of(static_cast<Limit>(worst)),
                     100 * seconds(stats.lost[worst]) / seconds(stats.ran));
}

std::vector<Column> operator_columns(const RunOutcome& pass) {
  std::vector<Column> columns{
      Column::words(pass.name).for_people(),           Column::count("tasks").for_people(),
      Column::milliseconds("from ms").for_people(),    Column::milliseconds("to ms").for_people(),
      Column::number("mean us", "", 2).for_people(),   Column::number("ideal us", "", 2).for_people(),
      Column::number("waited us", "", 2).for_people(), Column::words("lost to").for_people()};
  describe_operator(SavedOperator(), DataColumns(columns));
  for (const TraceOperator& producer : pass.trace->operators)
    columns.push_back(Column::data("l2_read_hits_left_by." + producer.name));
  return columns;
}

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
  for (const PathSegment& segment : path.segments) {
    const bool own =
        segment.ran || segment.blame[static_cast<std::size_t>(Blame::kCollective)] > Duration::zero();
    (own ? all[segment.op].on_path : all[segment.op].before) += segment.to - segment.from;
  }
  return all;
}

std::vector<Column> stream_operator_columns(const std::string& pass) {
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

}  // namespace

void add_operators(const RunOutcome& pass, const Causes& causes, Report& report) {
  Table& table = report.table("operators", operator_columns(pass));
  const std::vector<OperatorStats> stats = operator_stats(causes);
  const std::vector<TraceOperator>& operators = pass.trace->operators;
  for (std::size_t op = 0; op < stats.size(); ++op) {
    const OperatorStats& s = stats[op];
    const auto n = static_cast<double>(s.tasks);
    const OperatorTraffic& l2 = pass.operators[op];
    std::vector<Cell> cells{operators[op].name,
                            whole(s.tasks),
                            s.first_start,
                            s.last_end,
                            microseconds(s.ran) / n,
                            microseconds(s.ideal) / n,
                            microseconds(s.waited) / n,
                            lost_to(s)};
    const SavedOperator saved{operators[op].name, operators[op].unit, operators[op].stage, s, l2.l2};
    describe_operator(saved, DataCells(cells));
    for (const std::uint64_t requests : l2.left_by) cells.push_back(requests > 0 ? whole(requests) : Cell());
    cells.resize(table.columns().size());
    table.add(std::move(cells), s.tasks > 0 ? Audience::kAll : Audience::kPrograms);
  }
}

void add_l2(const RunOutcome& pass, Report& report) {
  Table& table = report.table(
      "", {Column::words(pass.name + ", L2"), Column::mega("read MB/rank"), Column::percent("hits"),
           Column::mega("written MB/rank"), Column::percent("hits"), Column::mega("HBM read MB"),
           Column::mega("HBM written MB"), Column::words("read hits left by")});
  const auto ranks = static_cast<double>(pass.sums.ranks.size());
  const auto all = [](const L2Traffic::Requests& r) {
    return static_cast<double>(r.hit + r.miss + r.bypass) * kL2Request;
  };
  const auto hits = [](const L2Traffic::Requests& r) {
    return share(static_cast<double>(r.hit), static_cast<double>(r.hit + r.miss));
  };
  for (std::size_t op = 0; op < pass.operators.size(); ++op) {
    const OperatorTraffic& l2 = pass.operators[op];
    const L2Traffic& t = l2.l2;
    if (all(t.read) + all(t.write) == 0) continue;
    table.add({pass.trace->operators[op].name, all(t.read) / ranks, hits(t.read), all(t.write) / ranks,
               hits(t.write), static_cast<double>(t.hbm_read) / ranks,
               static_cast<double>(t.hbm_write) / ranks, left_by_text(pass, l2.left_by)});
  }
}

void add_stream_operators(const RunOutcome& pass, const Causes& causes, Report& report) {
  Table& table = report.table("operators", stream_operator_columns(pass.name));
  const std::vector<OperatorStats> stats = operator_stats(causes);
  const std::vector<Activities> activities = activities_of(*pass.trace, critical_path(causes));
  for (std::size_t op = 0; op < stats.size(); ++op) {
    const Activities& activity = activities[op];
    const OperatorStats& sums = stats[op];
    std::vector<Cell> cells{
        pass.trace->operators[op].name,
        activity.lane,
        activity.count,
        activity.from,
        activity.to,
        activity.held / activity.count,
        sums.tasks > 0 ? Cell(sums.waited / static_cast<std::int64_t>(sums.tasks)) : Cell(),
        unless_zero(activity.on_path),
        unless_zero(activity.before),
        share(activity.on_path + activity.before, pass.latency)};
    const TraceOperator& traced = pass.trace->operators[op];
    const SavedOperator saved{traced.name, traced.unit, traced.stage, sums, pass.operators[op].l2};
    describe_operator(saved, DataCells(cells));
    table.add(std::move(cells));
  }
}

void add_ranks(const RunOutcome& pass, const Causes& causes, Report& report) {
  const WorkerKinds& kinds = pass.lanes;
  const bool has_l2 = !pass.trace->machine.streams;  // what kernels on streams move is known by operator
  std::vector<Column> columns{Column::data("end_ps"), Column::data("tasks")};
  const std::vector<PassSums::Workers> none(kinds.size());
  const L2Traffic no_traffic;
  describe_workers(kinds, none, DataColumns(columns));
  if (has_l2) {
    columns.insert(columns.end(), {Column::data("l2_read_bytes"), Column::data("l2_write_bytes")});
    describe_traffic(no_traffic, DataColumns(columns));
  }
  columns.insert(columns.end(), {Column::data("sent_bytes"), Column::data("received_bytes")});
  Table& table = report.table("ranks", std::move(columns), Audience::kPrograms);
  const auto times = worker_times(causes);
  for (std::size_t r = 0; r < times.size(); ++r) {
    const RankResult& rank = pass.sums.ranks[r];
    std::vector<Cell> row{rank.end, whole(rank.tasks)};
    std::vector<PassSums::Workers> workers;
    for (std::uint32_t k = 0; k < kinds.size(); ++k)
      workers.push_back(
          {rank.busy[k], part_of(times[r][k], WorkerTime::kWait), part_of(times[r][k], WorkerTime::kIdle)});
    describe_workers(kinds, workers, DataCells(row));
    if (has_l2) {
      row.insert(row.end(), {rank.l2_read, rank.l2_write});
      describe_traffic(rank.l2, DataCells(row));
    }
    row.insert(row.end(), {whole(rank.sent), whole(rank.received)});
    table.add(std::move(row));
  }
}

}  // namespace a3sim
