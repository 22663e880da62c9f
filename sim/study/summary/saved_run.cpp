#include "sim/study/summary/saved_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/study/summary/report.h"
#include "traces/trace_csv.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostTime = std::int64_t{1} << 50;  // in picoseconds; no run takes longer

nlohmann::json parsed(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const std::string before =
        text.substr(0, std::min(text.size(), std::max<std::size_t>(error.byte, 1) - 1));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n');
    throw InputError(fmt::format("{}:{}:{}: no JSON goes on like that: was the file cut off or changed?",
                                 file.string(), line,
                                 start == std::string::npos ? before.size() + 1 : before.size() - start));
  }
}

// A JSON object read key by key; every failure names the file and the key's path.
class JsonReader {
 public:
  JsonReader(const nlohmann::json& json, std::string file, std::string path = "")
      : json_(json), file_(std::move(file)), path_(std::move(path)) {}

  [[noreturn]] void fail(std::string_view key, std::string_view expected) const {
    throw InputError(fmt::format(
        "{}: {}{}: {} expected: changed, or written by another version of a3sim? Run the experiment again",
        file_, path_, key, expected));
  }
  const nlohmann::json& find(const char* key, std::string_view expected) const {
    if (!json_.is_object() || !json_.contains(key)) fail(key, expected);
    return json_.at(key);
  }
  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most) const {
    const nlohmann::json& value = find(key, "a whole number");
    const bool fits = value.is_number_integer() &&
                      !(value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{1} << 62);
    const std::int64_t number = fits ? value.get<std::int64_t>() : 0;
    if (!fits || number < least || number > most)
      fail(key, fmt::format("a whole number from {} to {}", least, most));
    return number;
  }
  Duration time(const char* key) const { return Duration(integer(key, 0, kMostTime)); }
  std::vector<Duration> times(const char* key, std::size_t count) const {
    const nlohmann::json& items = find(key, "a list");
    const bool fits = items.is_array() && items.size() == count &&
                      std::all_of(items.begin(), items.end(), [](const nlohmann::json& item) {
                        return item.is_number_unsigned() && item.get<std::uint64_t>() <= kMostTime;
                      });
    if (!fits) fail(key, fmt::format("{} whole numbers up to {}", count, kMostTime));
    std::vector<Duration> times;
    for (const nlohmann::json& item : items) times.emplace_back(item.get<std::int64_t>());
    return times;
  }
  double rate(const char* key) const { return static_cast<double>(integer(key, 1, std::int64_t{1} << 61)); }
  double amount(const char* key) const { return static_cast<double>(integer(key, 0, std::int64_t{1} << 61)); }
  std::string text(const char* key) const {
    const nlohmann::json& value = find(key, "a text");
    if (!value.is_string()) fail(key, "a text");
    return value.get<std::string>();
  }
  std::uint8_t choice(const char* key, std::initializer_list<std::string_view> names) const {
    const std::string found = text(key);
    const auto name = std::find(names.begin(), names.end(), found);
    if (name == names.end()) fail(key, fmt::format("one of {}", fmt::join(names, ", ")));
    return static_cast<std::uint8_t>(name - names.begin());
  }
  JsonReader object(const char* key) const { return {find(key, "an object"), file_, path_ + key + "."}; }
  std::vector<JsonReader> list(const char* key) const {
    const nlohmann::json& items = find(key, "a list");
    if (!items.is_array() || items.empty()) fail(key, "a list");
    std::vector<JsonReader> readers;
    for (std::size_t i = 0; i < items.size(); ++i)
      readers.emplace_back(items[i], file_, fmt::format("{}{}[{}].", path_, key, i));
    return readers;
  }
  const nlohmann::json& json() const { return json_; }

 private:
  const nlohmann::json& json_;
  std::string file_, path_;
};

TraceMachine machine_of(const JsonReader& result) {
  TraceMachine machine;
  machine.way = static_cast<Way>(result.choice("execution", {"static", "dynamic", "kernel"}));
  const nlohmann::json& workers = result.find("workers", "the numbers of AIC and AIV");
  for (std::size_t q = 0; q < 2; ++q) {
    if (!workers.is_array() || workers.size() != 2 || !workers[q].is_number_unsigned() ||
        workers[q] > 1 << 16)
      result.fail("workers", "the numbers of AIC and AIV");
    machine.workers[q] = workers[q].get<std::uint32_t>();
  }
  const JsonReader of = result.object("machine");
  machine.launch = of.time("kernel_launch_ps");
  machine.static_task = of.time("static_task_ps");
  machine.farthest = of.time("farthest_ps");
  machine.collectives = of.choice("sent_by", {"puts", "collectives"}) == 1;
  machine.collective = of.time("collective_ps");
  machine.hbm_read = of.rate("hbm_read_bytes_per_s");
  machine.hbm_write = of.rate("hbm_write_bytes_per_s");
  machine.l2_read = of.rate("l2_read_bytes_per_s");
  machine.port = of.amount("port_bytes_per_s");
  return machine;
}

constexpr double kRequest = 128;  // bytes of a request, as result.json counts them

double requested(const JsonReader& l2, const char* key) {
  const JsonReader requests = l2.object(key);
  return kRequest * (requests.amount("hit") + requests.amount("miss") + requests.amount("bypass"));
}

std::vector<TraceOperator> traced_operators(const JsonReader& pass) {
  std::vector<TraceOperator> operators;
  const std::vector<JsonReader> items = pass.list("operators");
  for (const JsonReader& item : items) {
    TraceOperator& op = operators.emplace_back();
    op.name = item.text("operator");
    op.unit = static_cast<TaskUnit>(item.choice("unit", {"cube", "vector", "put"}));
    op.stage = static_cast<std::uint32_t>(item.integer("stage", 0, 1 << 16));
    const JsonReader l2 = item.object("l2");
    op.l2_read = requested(l2, "read");
    op.l2_written = requested(l2, "write");
    op.l2_hit = kRequest * l2.object("read").amount("hit");
    op.l2_missed = kRequest * l2.object("read").amount("miss");
    op.hbm_read = l2.amount("hbm_read_bytes");
    op.hbm_written = l2.amount("hbm_write_bytes");
  }
  constexpr const char* kLeftBy = "l2_read_hits_left_by";
  for (std::size_t op = 0; op < items.size(); ++op) {
    if (!items[op].json().contains(kLeftBy)) continue;
    const JsonReader left_by = items[op].object(kLeftBy);
    for (const TraceOperator& producer : operators) {
      const bool any = left_by.json().contains(producer.name);
      operators[op].left_by.push_back(any ? kRequest * left_by.amount(producer.name.c_str()) : 0);
    }
  }
  return operators;
}

// The machine, the operators and the number of ranks, without tasks.
Trace empty_trace(const nlohmann::json& result, const nlohmann::json& pass, const std::string& file) {
  Trace trace;
  trace.machine = machine_of({result, file});
  const JsonReader of(pass, file, "passes.");
  trace.makespan = of.time("latency_ps");
  trace.operators = traced_operators(of);
  trace.ranks.resize(of.list("ranks").size());
  trace.starts = JsonReader(result, file).object("machine").times("starts_ps", trace.ranks.size());
  return trace;
}

TraceTask traced_task(const TaskDescriptor& td, const TaskRecord& record, std::size_t rank, bool put) {
  TraceTask task;
  task.op = td.op;
  task.worker = record.worker;
  task.dst = td.dst;
  task.dependent_event = td.dependent_event;
  task.trigger_rank = td.trigger_rank;
  task.trigger_event = td.trigger_event;
  task.remote = put && td.dst != rank;
  task.taken = record.taken.time_since_epoch();
  task.start = record.start.time_since_epoch();
  task.end = record.end.time_since_epoch();
  task.done = record.done.time_since_epoch();
  task.visible = record.visible.time_since_epoch();
  task.ideal = record.ideal;
  task.arithmetic = record.arithmetic;
  task.lost = record.lost;
  task.operations = record.operations;
  task.put_bytes = record.put_bytes;
  return task;
}

}  // namespace

Trace read_trace(const nlohmann::json& result, const nlohmann::json& pass, const std::string& file,
                 std::string_view csv, const std::string& csv_name) {
  Trace trace = empty_trace(result, pass, file);
  const std::vector<JsonReader> ranks = JsonReader(pass, file, "passes.").list("ranks");
  read_tasks(csv, csv_name, trace);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const std::int64_t tasks = ranks[r].integer("tasks", 0, kNone);
    if (trace.ranks[r].size() == static_cast<std::size_t>(tasks)) continue;
    throw InputError(fmt::format("{}: {} tasks of rank {}, expected {}: was the file cut off?", csv_name,
                                 trace.ranks[r].size(), r, tasks));
  }
  return trace;
}

std::vector<Trace> traces_of(const Experiment& experiment, std::span<const PassResult> passes) {
  // As text, like what is read back: a number's type follows from its digits.
  const nlohmann::json result = nlohmann::json::parse(summary_json(experiment, passes).dump());
  std::vector<Trace> traces;
  for (std::size_t p = 0; p < passes.size(); ++p) {
    Trace& trace = traces.emplace_back(empty_trace(result, result["passes"][p], "result"));
    for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
      const std::span<const TaskDescriptor> tasks = passes[p].schedule[r].tasks();
      for (std::size_t t = 0; t < tasks.size(); ++t) {
        const bool put = trace.operators[tasks[t].op].unit == TaskUnit::kPut;
        trace.ranks[r].push_back(traced_task(tasks[t], passes[p].run.ranks[r].records[t], r, put));
      }
    }
  }
  return traces;
}

SavedRun read_run(const std::filesystem::path& directory, std::string_view pass) {
  SavedRun run{.directory = directory, .result = parsed(directory / "result.json"), .passes = {}};
  const std::string file = (directory / "result.json").string();
  std::vector<std::string> names;
  for (const JsonReader& of : JsonReader(run.result, file).list("passes")) {
    names.push_back(of.text("pass"));
    if (!pass.empty() && names.back() != pass) continue;
    const std::filesystem::path csv = directory / ("tasks_" + names.back() + ".csv");
    Trace trace = read_trace(run.result, of.json(), file, read_file(csv), csv.string());
    run.passes.push_back({names.back(), std::move(trace)});
  }
  if (run.passes.empty())
    throw InputError(fmt::format("--pass: there is no pass '{}', only {}", pass, fmt::join(names, ", ")));
  return run;
}

}  // namespace a3sim
