#include "traces/trace_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "sim/core/error.h"

namespace a3sim {
namespace {

enum Column : std::uint8_t {
  kRank,
  kTask,
  kOperator,
  kDst,
  kWorker,
  kTaken,
  kStart,
  kEnd,
  kIdeal,
  kLostL2Read,
  kLostL2Write,
  kLostHbm,
  kLostLink,
  kLostMiss,
  kDependentEvent,
  kTriggerRank,
  kTriggerEvent,
  kDone,
  kVisible,
  kArithmetic,
  kOperations,
  kPutBytes
};
constexpr std::string_view kColumns[] = {"rank",
                                         "task",
                                         "operator",
                                         "dst",
                                         "worker",
                                         "taken_ps",
                                         "start_ps",
                                         "end_ps",
                                         "ideal_ps",
                                         "lost_l2_read_ps",
                                         "lost_l2_write_ps",
                                         "lost_hbm_ps",
                                         "lost_link_ps",
                                         "lost_miss_ps",
                                         "dependent_event",
                                         "trigger_rank",
                                         "trigger_event",
                                         "done_ps",
                                         "visible_ps",
                                         "arithmetic_ps",
                                         "operations",
                                         "put_bytes"};
constexpr std::size_t kNeeded = std::size(kColumns);

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
  std::uint64_t number(Column column, std::uint64_t below) const;
  Duration time(Column column) const;
  std::uint32_t op() const;

  std::string_view rest_;
  const std::string& name_;
  Trace& trace_;
  std::size_t line_ = 0;
  std::vector<std::string_view> cells_;
  std::size_t columns_ = 0;
  std::size_t place_[kNeeded] = {};
};

// A last line without an end is one that was cut off.
bool TaskReader::next_line() {
  if (rest_.empty()) return false;
  ++line_;
  const std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos) fail("the line does not end: the file was cut off");
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end + 1);
  cells_.clear();
  for (std::size_t comma = line.find(','); comma != std::string_view::npos; comma = line.find(',')) {
    cells_.push_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  cells_.push_back(line);
  return true;
}

void TaskReader::read_header() {
  if (!next_line()) throw InputError(name_ + ": is empty, a header expected");
  columns_ = cells_.size();
  for (std::size_t c = 0; c < kNeeded; ++c) {
    const auto found = std::find(cells_.begin(), cells_.end(), kColumns[c]);
    if (found == cells_.end()) {
      fail("no column '{}': written by another version of a3sim? Run the experiment again", kColumns[c]);
    }
    place_[c] = static_cast<std::size_t>(found - cells_.begin());
  }
}

std::uint64_t TaskReader::number(Column column, std::uint64_t below) const {
  const std::string_view cell = cells_[place_[column]];
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size() || cell.empty()) {
    fail("{}: a whole number expected, '{}' found", kColumns[column], cell);
  }
  if (value >= below) fail("{}: {}, expected below {}", kColumns[column], value, below);
  return value;
}

Duration TaskReader::time(Column column) const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50;  // no run takes longer, and sums do not overflow
  return Duration(static_cast<std::int64_t>(number(column, kMost)));
}

std::uint32_t TaskReader::op() const {
  const std::string_view name = cells_[place_[kOperator]];
  const auto found = std::find_if(trace_.operators.begin(), trace_.operators.end(),
                                  [&](const TraceOperator& op) { return op.name == name; });
  if (found == trace_.operators.end()) fail("operator: no '{}' in result.json", name);
  return static_cast<std::uint32_t>(found - trace_.operators.begin());
}

void TaskReader::read_task() {
  if (cells_.size() != columns_) fail("{} cells, expected {} as in the header", cells_.size(), columns_);
  constexpr std::uint64_t kMostEvents = 1 << 28;
  const std::uint64_t rank = number(kRank, trace_.ranks.size());
  std::vector<TraceTask>& tasks = trace_.ranks[rank];
  if (number(kTask, kNone) != tasks.size()) fail("task: {} expected", tasks.size());
  TraceTask& task = tasks.emplace_back();
  const std::uint64_t workers = trace_.machine.workers[0] + trace_.machine.workers[1];
  task.op = op();
  task.worker = static_cast<std::uint32_t>(number(kWorker, workers));
  task.dst = static_cast<std::uint32_t>(number(kDst, trace_.ranks.size()));
  if (!cells_[place_[kDependentEvent]].empty())
    task.dependent_event = static_cast<std::uint32_t>(number(kDependentEvent, kMostEvents));
  task.trigger_rank = static_cast<std::uint32_t>(number(kTriggerRank, trace_.ranks.size()));
  task.trigger_event = static_cast<std::uint32_t>(number(kTriggerEvent, kMostEvents));
  task.remote = trace_.operators[task.op].unit == TaskUnit::kPut && task.dst != rank;
  task.taken = time(kTaken);
  task.start = time(kStart);
  task.end = time(kEnd);
  task.done = time(kDone);
  task.visible = time(kVisible);
  task.ideal = time(kIdeal);
  task.arithmetic = time(kArithmetic);
  constexpr Column kLost[kLimits] = {kLostL2Read, kLostL2Write, kLostHbm, kLostLink, kLostMiss};
  for (std::uint32_t l = 0; l < kLimits; ++l) task.lost[l] = time(kLost[l]);
  task.operations = number(kOperations, std::numeric_limits<std::uint64_t>::max());
  task.put_bytes = number(kPutBytes, std::numeric_limits<std::uint64_t>::max());
  check(task);
}

void TaskReader::check(const TraceTask& task) const {
  if (task.taken > task.start || task.start > task.end) fail("it does not hold that taken <= start <= end");
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
