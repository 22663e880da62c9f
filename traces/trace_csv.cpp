#include "traces/trace_csv.h"

#include <algorithm>
#include <map>

namespace a3sim {
namespace {

template <class Row>
std::uint32_t op_of(const CsvReader<Row>& reader, const Row& row, const Trace& trace) {
  const auto found = std::ranges::find(trace.operators, row.op, &TraceOperator::name);
  if (found == trace.operators.end()) reader.fail("operator: no '{}' in result.json", row.op);
  return static_cast<std::uint32_t>(found - trace.operators.begin());
}

void check_limits(const CsvReader<TaskRow>& reader, const TaskRow& row, const Trace& trace) {
  constexpr std::uint64_t kMostEvents = 1 << 28, kMostBytes = std::uint64_t{1} << 61;
  reader.expect_below("worker", row.worker, trace.machine.workers.workers());
  reader.expect_below("src", row.src, std::max<std::uint64_t>(trace.ranks.size(), trace.machine.group));
  reader.expect_below("dst", row.dst, std::max<std::uint64_t>(trace.ranks.size(), trace.machine.group));
  if (row.dependent_event != kNone) reader.expect_below("dependent_event", row.dependent_event, kMostEvents);
  reader.expect_below("trigger_rank", row.trigger_rank, trace.ranks.size());
  reader.expect_below("trigger_event", row.trigger_event, kMostEvents);
  reader.expect_below("l2_read_hit", row.l2_read_hit, kMostBytes);
  reader.expect_below("l2_read_miss", row.l2_read_miss, kMostBytes);
  reader.expect_below("l2_write_hit", row.l2_write_hit, kMostBytes);
  reader.expect_below("l2_write_miss", row.l2_write_miss, kMostBytes);
  reader.expect_below("hbm_read_bytes", row.hbm_read, kMostBytes);
  reader.expect_below("hbm_write_bytes", row.hbm_write, kMostBytes);
}

void check(const CsvReader<TaskRow>& reader, const TraceTask& task, Duration makespan) {
  if (task.taken > task.start || task.start > task.end)
    reader.fail("it does not hold that taken <= start <= end");
  if (task.end > makespan)
    reader.fail("end_ps: {}, and the pass takes {}", task.end.count(), makespan.count());
  Duration sum = task.ideal;
  for (const Duration lost : task.lost) sum += lost;
  if (sum != task.end - task.start) {
    reader.fail("ideal and lost times sum to {} ps, from start to end are {} ps", sum.count(),
                (task.end - task.start).count());
  }
  if (task.done < task.start || task.done > task.end || task.visible < task.done ||
      (!task.remote && task.done != task.end)) {
    reader.fail("done_ps, visible_ps: {} and {} do not fit what the task does", task.done.count(),
                task.visible.count());
  }
}

TraceTask task_of(const TaskRow& row, std::uint32_t op, const Trace& trace) {
  TraceTask task;
  task.op = op;
  task.worker = row.worker;
  task.index = row.index;
  task.expert = row.expert;
  task.src = row.src;
  task.dst = row.dst;
  task.dependent_event = row.dependent_event;
  task.trigger_rank = row.trigger_rank;
  task.trigger_event = row.trigger_event;
  // A pull has its own rank as destination, but its worker is free only some time after its bytes have come.
  const bool crosses =
      trace.machine.streams || row.dst != row.rank || row.put_bytes > 0 || row.done != row.end;
  task.remote = trace.operators[op].unit == TaskUnit::kPut && crosses;
  task.taken = row.taken;
  task.start = row.start;
  task.end = row.end;
  task.done = row.done;
  task.visible = row.visible;
  task.ideal = row.ideal;
  task.arithmetic = row.arithmetic;
  task.lost = {row.lost_l2_read, row.lost_l2_write, row.lost_hbm, row.lost_link, row.lost_miss};
  task.operations = row.operations;
  task.put_bytes = row.put_bytes;
  task.l2_hits = row.l2_read_hit;
  task.l2_misses = row.l2_read_miss;
  task.l2_write_hits = row.l2_write_hit;
  task.l2_write_misses = row.l2_write_miss;
  task.hbm_bytes = row.hbm_read + row.hbm_write;
  task.hbm_written = row.hbm_write;
  return task;
}

}  // namespace

void CauseCells::set(const Cause& source) {
  cause = source.kind;
  cause_rank = source.rank;
  (source.host ? cause_host : cause_task) = source.number;
}

Cause CauseCells::get() const {
  const bool host = cause_host != kNone;
  return {cause, host, cause_rank, host ? cause_host : cause_task};
}

std::string tasks_csv(const Trace& trace) {
  std::vector<std::string> queues;
  for (const WorkerKind& kind : trace.machine.workers) queues.push_back(kind.queue());
  std::string csv = csv_header<TaskRow>();
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    for (std::uint32_t t = 0; t < trace.ranks[r].size(); ++t) {
      const TraceTask& task = trace.ranks[r][t];
      TaskRow row;
      row.rank = r;
      row.src = task.src;
      row.task = t;
      row.op = trace.operators[task.op].name;
      row.index = task.index;
      row.expert = task.expert;
      row.dst = task.dst;
      row.worker = task.worker;
      row.taken = task.taken;
      row.start = task.start;
      row.end = task.end;
      row.ideal = task.ideal;
      std::tie(row.lost_l2_read, row.lost_l2_write, row.lost_hbm, row.lost_link, row.lost_miss) =
          std::tuple_cat(task.lost);
      row.l2_read_hit = task.l2_hits;
      row.l2_read_miss = task.l2_misses;
      row.l2_write_hit = task.l2_write_hits;
      row.l2_write_miss = task.l2_write_misses;
      row.hbm_read = task.hbm_bytes - task.hbm_written;
      row.hbm_write = task.hbm_written;
      row.queue = queues[trace.machine.workers.queue_of(task.worker)];
      row.dependent_event = task.dependent_event;
      row.trigger_rank = task.trigger_rank;
      row.trigger_event = task.trigger_event;
      row.done = task.done;
      row.visible = task.visible;
      row.arithmetic = task.arithmetic;
      row.operations = task.operations;
      row.put_bytes = task.put_bytes;
      append_row(csv, row);
    }
  }
  return csv;
}

std::string causes_csv(const Trace& trace) {
  std::string csv = csv_header<CauseRow>();
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    for (std::uint32_t t = 0; t < trace.ranks[r].size(); ++t) {
      CauseRow row;
      row.rank = r;
      row.task = t;
      row.waited = trace.ranks[r][t].waited;
      row.hold = trace.ranks[r][t].hold;
      row.set(trace.ranks[r][t].cause);
      append_row(csv, row);
    }
  }
  return csv;
}

std::string hosts_csv(const Trace& trace) {
  std::string csv = csv_header<HostRow>();
  for (std::uint32_t r = 0; r < trace.hosts.size(); ++r) {
    for (std::uint32_t n = 0; n < trace.hosts[r].size(); ++n) {
      const HostActivity& activity = trace.hosts[r][n];
      HostRow row;
      row.rank = r;
      row.number = n;
      row.what = activity.what;
      row.op = trace.operators[activity.op].name;
      row.asked = activity.asked;
      row.start = activity.start;
      row.end = activity.end;
      row.set(activity.cause);
      append_row(csv, row);
    }
  }
  return csv;
}

std::string links_csv(const Trace& trace) {
  std::string csv = csv_header<HeldRow>();
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    for (std::uint32_t t = 0; t < trace.ranks[r].size(); ++t) {
      const TraceTask& task = trace.ranks[r][t];
      if (task.link != kNone) append_row(csv, HeldRow{r, t, trace.links.at(task.link), task.held});
    }
  }
  return csv;
}

void read_tasks(std::string_view csv, const std::string& name, Trace& trace) {
  CsvReader<TaskRow> reader(csv, name);
  for (TaskRow row; reader.next(row);) {
    reader.expect_below("rank", row.rank, trace.ranks.size());
    std::vector<TraceTask>& tasks = trace.ranks[row.rank];
    if (row.task != tasks.size()) reader.fail("task: {} expected", tasks.size());
    const std::uint32_t op = op_of(reader, row, trace);
    check_limits(reader, row, trace);
    tasks.push_back(task_of(row, op, trace));
    check(reader, tasks.back(), trace.makespan);
  }
}

void read_causes(std::string_view csv, const std::string& name, Trace& trace) {
  CsvReader<CauseRow> reader(csv, name);
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    for (std::uint32_t t = 0; t < trace.ranks[r].size(); ++t) {
      CauseRow row;
      if (!reader.next(row)) throw InputError(fmt::format("{}: ends before task {} of rank {}", name, t, r));
      if (row.rank != r || row.task != t) reader.fail("task {} of rank {} expected", t, r);
      TraceTask& task = trace.ranks[r][t];
      task.cause = row.get();
      task.waited = row.waited;
      if (row.hold > task.ideal)
        reader.fail("hold_ps: {}, and the task's ideal time is {} ps", row.hold.count(), task.ideal.count());
      task.hold = row.hold;
    }
  }
  if (CauseRow row; reader.next(row)) reader.fail("more tasks than in the file of tasks");
}

void read_links(std::string_view csv, const std::string& name, Trace& trace) {
  CsvReader<HeldRow> reader(csv, name);
  std::map<std::string, std::uint32_t, std::less<>> numbers;
  for (HeldRow row; reader.next(row);) {
    reader.expect_below("rank", row.rank, trace.ranks.size());
    reader.expect_below("task", row.task, trace.ranks[row.rank].size());
    TraceTask& task = trace.ranks[row.rank][row.task];
    const Duration lost = task.lost[static_cast<std::size_t>(Limit::kLink)];
    if (row.held > lost)
      reader.fail("held_ps: {}, and the task lost {} ps to links", row.held.count(), lost.count());
    auto number = numbers.find(row.link);
    if (number == numbers.end()) {
      number = numbers.emplace(row.link, static_cast<std::uint32_t>(trace.links.size())).first;
      trace.links.emplace_back(row.link);
    }
    task.link = number->second;
    task.held = row.held;
  }
}

void read_hosts(std::string_view csv, const std::string& name, Trace& trace) {
  CsvReader<HostRow> reader(csv, name);
  trace.hosts.resize(trace.ranks.size());
  for (HostRow row; reader.next(row);) {
    reader.expect_below("rank", row.rank, trace.ranks.size());
    std::vector<HostActivity>& host = trace.hosts[row.rank];
    if (row.number != host.size()) reader.fail("number: {} expected", host.size());
    host.push_back({row.what, op_of(reader, row, trace), row.asked, row.start, row.end, row.get()});
  }
}

}  // namespace a3sim
