#include "traces/trace_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "sim/core/csv.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

// The columns that a trace is made of.
constexpr std::string_view kColumns =
    "rank,task,operator,index,expert,dst,worker,taken_ps,start_ps,end_ps,ideal_ps,lost_l2_read_ps,"
    "lost_l2_write_ps,lost_hbm_ps,lost_link_ps,lost_miss_ps,l2_read_hit,l2_read_miss,hbm_read_bytes,"
    "hbm_write_bytes,dependent_event,trigger_rank,trigger_event,done_ps,visible_ps,arithmetic_ps,operations,"
    "put_bytes";

// One of them; its number is known when this is compiled.
struct CsvColumn {
  std::string_view name;
  std::size_t number = 0;
  explicit(false) consteval CsvColumn(const char* of) : name(of) {
    for (std::string_view rest = kColumns; rest.substr(0, rest.find(',')) != name; ++number) {
      if (rest.find(',') == std::string_view::npos) throw "no such column";
      rest.remove_prefix(rest.find(',') + 1);
    }
  }
};

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t comma = line.find(','); comma != std::string_view::npos; comma = line.find(',')) {
    cells.push_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  cells.push_back(line);
  return cells;
}

// Where a line ends: quotes may hold an end of a line.
std::size_t end_of_line(std::string_view text) {
  bool quoted = false;
  for (std::size_t from = 0;;) {
    const std::size_t end = text.find('\n', from);
    if (end == std::string_view::npos) return end;
    if (has_open_quote(text.substr(from, end - from))) quoted = !quoted;
    if (!quoted) return end;
    from = end + 1;
  }
}

class TaskReader {
 public:
  TaskReader(std::string_view csv, const std::string& name, Trace& trace)
      : rest_(csv), name_(name), trace_(trace) {}
  void read();

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw InputError(
        fmt::format("{}:{}: {}", name_, line_, fmt::format(format, std::forward<Args>(args)...)));
  }
  bool next_line();
  void read_header();
  void read_task();
  void check(const TraceTask& task) const;
  std::string_view cell(CsvColumn column) const { return cells_[place_[column.number]]; }
  std::uint64_t number(CsvColumn column, std::uint64_t below) const;
  // A number below 2^32.
  std::uint32_t id(CsvColumn column, std::uint64_t below) const {
    return static_cast<std::uint32_t>(number(column, below));
  }
  Duration time(CsvColumn column) const;
  std::uint32_t op() const;

  std::string_view rest_;
  const std::string& name_;
  Trace& trace_;
  std::size_t line_ = 0;
  std::vector<std::string_view> cells_;
  std::vector<std::string> texts_;  // of cells that are quoted
  std::size_t columns_ = 0;
  std::vector<std::size_t> place_;  // of each of kColumns
};

// A last line without an end is one that was cut off.
bool TaskReader::next_line() {
  if (rest_.empty()) return false;
  ++line_;
  const std::size_t end = end_of_line(rest_);
  if (end == std::string_view::npos) fail("the line does not end: the file was cut off");
  const std::string_view line = rest_.substr(0, end);
  if (line.find('"') == std::string_view::npos) {
    cells_ = split(line);
  } else {
    split_csv(line, texts_);
    cells_.assign(texts_.begin(), texts_.end());
  }
  rest_.remove_prefix(end + 1);
  return true;
}

void TaskReader::read_header() {
  if (!next_line()) throw InputError(name_ + ": is empty, a header expected");
  columns_ = cells_.size();
  for (const std::string_view column : split(kColumns)) {
    const auto found = std::ranges::find(cells_, column);
    if (found == cells_.end()) {
      fail("no column '{}': written by another version of a3sim? Run the experiment again", column);
    }
    place_.push_back(static_cast<std::size_t>(found - cells_.begin()));
  }
}

std::uint64_t TaskReader::number(CsvColumn column, std::uint64_t below) const {
  const std::string_view text = cell(column);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) {
    fail("{}: a whole number expected, '{}' found", column.name, text);
  }
  if (value >= below) fail("{}: {}, expected below {}", column.name, value, below);
  return value;
}

Duration TaskReader::time(CsvColumn column) const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50;  // no run takes longer, and sums do not overflow
  return Duration(static_cast<std::int64_t>(number(column, kMost)));
}

std::uint32_t TaskReader::op() const {
  const std::string_view name = cell("operator");
  const auto found = std::ranges::find(trace_.operators, name, &TraceOperator::name);
  if (found == trace_.operators.end()) fail("operator: no '{}' in result.json", name);
  return static_cast<std::uint32_t>(found - trace_.operators.begin());
}

void TaskReader::read_task() {
  if (cells_.size() != columns_) fail("{} cells, expected {} as in the header", cells_.size(), columns_);
  constexpr std::uint64_t kMostEvents = 1 << 28;
  const std::uint64_t rank = number("rank", trace_.ranks.size());
  std::vector<TraceTask>& tasks = trace_.ranks[rank];
  if (number("task", kNone) != tasks.size()) fail("task: {} expected", tasks.size());
  TraceTask& task = tasks.emplace_back();
  const std::uint64_t workers = trace_.machine.workers.workers();
  task.op = op();
  task.worker = id("worker", workers);
  task.index = id("index", kNone);
  if (!cell("expert").empty()) task.expert = id("expert", kNone);
  task.dst = id("dst", std::max<std::uint64_t>(trace_.ranks.size(), trace_.machine.group));
  if (!cell("dependent_event").empty()) task.dependent_event = id("dependent_event", kMostEvents);
  task.trigger_rank = id("trigger_rank", trace_.ranks.size());
  task.trigger_event = id("trigger_event", kMostEvents);
  task.remote = trace_.operators[task.op].unit == TaskUnit::kPut && task.dst != rank;
  task.taken = time("taken_ps");
  task.start = time("start_ps");
  task.end = time("end_ps");
  task.done = time("done_ps");
  task.visible = time("visible_ps");
  task.ideal = time("ideal_ps");
  task.arithmetic = time("arithmetic_ps");
  task.lost = {time("lost_l2_read_ps"), time("lost_l2_write_ps"), time("lost_hbm_ps"), time("lost_link_ps"),
               time("lost_miss_ps")};
  task.operations = number("operations", std::numeric_limits<std::uint64_t>::max());
  task.put_bytes = number("put_bytes", std::numeric_limits<std::uint64_t>::max());
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 61;
  task.l2_hits = number("l2_read_hit", kMostBytes);
  task.l2_misses = number("l2_read_miss", kMostBytes);
  task.hbm_bytes = number("hbm_read_bytes", kMostBytes) + number("hbm_write_bytes", kMostBytes);
  check(task);
}

void TaskReader::check(const TraceTask& task) const {
  if (task.taken > task.start || task.start > task.end) fail("it does not hold that taken <= start <= end");
  if (task.end > trace_.makespan)
    fail("end_ps: {}, and the pass takes {}", task.end.count(), trace_.makespan.count());
  Duration sum = task.ideal;
  for (const Duration lost : task.lost) sum += lost;
  if (sum != task.end - task.start) {
    fail("ideal and lost times sum to {} ps, from start to end are {} ps", sum.count(),
         (task.end - task.start).count());
  }
  if (task.done < task.start || task.done > task.end || task.visible < task.done ||
      (!task.remote && task.done != task.end)) {
    fail("done_ps, visible_ps: {} and {} do not fit what the task does", task.done.count(),
         task.visible.count());
  }
}

void TaskReader::read() {
  read_header();
  while (next_line()) read_task();
}

}  // namespace

void read_tasks(std::string_view csv, const std::string& name, Trace& trace) {
  TaskReader(csv, name, trace).read();
}

}  // namespace a3sim
