#include "sim/result/saved_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/config/config.h"
#include "sim/core/config/decimal.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/memory/l2/l2.h"
#include "sim/result/cable_files.h"
#include "sim/result/saved_rows.h"
#include "sim/result/saved_values.h"
#include "traces/analysis/inferred_causes.h"
#include "traces/trace_csv.h"

// JSON is YAML: the reader of configurations also reads result.json, and says where it is wrong.
namespace a3sim {
namespace {

constexpr std::int64_t kMostTime = std::int64_t{1} << 50;  // in picoseconds; no run takes longer

Duration time_of(const Config& config, std::string_view key) {
  return Duration(config.integer(key, 0, kMostTime));
}

// Returns AIC and AIV, unless the result has its own kinds.
WorkerKinds read_kinds(const Config& result) {
  if (!result.has("kinds")) return aic_and_aiv(0, 0);
  WorkerKinds kinds;
  for (const Config& item : result.maps("kinds")) {
    WorkerKind kind{item.text("name"), 0, {}};
    if (!is_kind_name(kind.name)) item.error("name", "expected a name of capitals, digits and _");
    for (const std::string& runs : item.texts("runs")) {
      const auto unit = std::ranges::find(kNamesOf<CoreUnit>, runs);
      if (unit == kNamesOf<CoreUnit>.end())
        item.error("runs", fmt::format("'{}', expected matrix or vector", runs));
      else
        kind.units[static_cast<std::size_t>(unit - kNamesOf<CoreUnit>.begin())] = true;
    }
    kinds.add(std::move(kind));
  }
  for (const CoreUnit unit : {CoreUnit::kMatrix, CoreUnit::kVector}) {
    if (kinds.queue_for(unit) == kNone)
      result.error("kinds", fmt::format("expected one that runs {} tasks", name_of(unit)));
  }
  return kinds;
}

std::string names_of_kinds(const WorkerKinds& kinds) {
  std::vector<std::string> names;
  for (const WorkerKind& kind : kinds) names.push_back(kind.name);
  return fmt::format("{}", fmt::join(names, " and "));
}

TraceMachine read_machine(const Config& result) {
  TraceMachine machine;
  const Config config = result.map("machine");
  machine.collectives = config.choice("sent_by", {"puts", "collectives"}) == 1;
  const auto lanes = config.choice("lanes", {"workers", "kernels", "streams"});
  machine.has_kernels = lanes == 1;
  machine.streams = lanes == 2;
  const std::vector<std::string> workers = result.texts("workers");
  machine.workers = read_kinds(result);
  for (std::size_t q = 0; q < machine.workers.size(); ++q) {
    std::int64_t number = -1;
    if (q < workers.size() && decimal_integer(workers[q], number) && number >= 0 && number <= 1 << 16)
      machine.workers[q].count = static_cast<std::uint32_t>(number);
    else
      result.error("workers", fmt::format("expected the numbers of {}", names_of_kinds(machine.workers)));
  }
  describe_machine(machine, ConfigValues(config));
  if (config.has("group_ranks"))
    machine.group = static_cast<std::uint32_t>(config.integer("group_ranks", 1, 1 << 20));
  return machine;
}

std::vector<SavedOperator> read_operators(const Config& pass) {
  std::vector<SavedOperator> operators;
  for (const Config& item : pass.maps("operators"))
    describe_operator(operators.emplace_back(), ConfigValues(item));
  return operators;
}

double in_bytes(std::uint64_t requests) { return kL2Request * static_cast<double>(requests); }

// Returns operators as in a trace, with the operators that left in the L2 what they found there.
std::vector<TraceOperator> traced_operators(const Config& pass, const std::vector<SavedOperator>& saved) {
  std::vector<TraceOperator> operators;
  for (const SavedOperator& op : saved) {
    const L2Traffic::Requests &read = op.traffic.read, &written = op.traffic.write;
    operators.push_back({.name = op.name,
                         .unit = op.unit,
                         .stage = op.stage,
                         .l2_read = in_bytes(read.hit + read.miss + read.bypass),
                         .l2_written = in_bytes(written.hit + written.miss + written.bypass),
                         .hbm_read = static_cast<double>(op.traffic.hbm_read),
                         .hbm_written = static_cast<double>(op.traffic.hbm_write),
                         .l2_hit = in_bytes(read.hit),
                         .l2_missed = in_bytes(read.miss),
                         .left_by = {}});
  }
  constexpr std::string_view kLeftBy = "l2_read_hits_left_by";
  const std::vector<Config> items = pass.maps("operators");
  for (std::size_t op = 0; op < items.size(); ++op) {
    if (!items[op].has(kLeftBy)) continue;
    const Config left_by = items[op].map(kLeftBy);
    for (const SavedOperator& producer : saved) {
      double bytes = 0;
      if (left_by.has(producer.name)) ConfigValues(left_by).amount(producer.name, bytes);
      operators[op].left_by.push_back(kL2Request * bytes);
    }
  }
  return operators;
}

std::vector<Duration> read_starts(const Config& result, std::size_t ranks) {
  const Config machine = result.map("machine");
  std::vector<Duration> starts;
  for (const std::string& text : machine.texts("starts_ps")) {
    std::int64_t start = -1;
    if (!decimal_integer(text, start) || start < 0 || start > kMostTime)
      machine.error("starts_ps", fmt::format("'{}', expected a number of picoseconds", text));
    starts.emplace_back(start);
  }
  if (starts.size() != ranks)
    machine.error("starts_ps", fmt::format("{} times, expected one per rank, {}", starts.size(), ranks));
  return starts;
}

// Returns the trace without tasks: the machine, the operators, and the number of tasks of each rank.
Trace read_trace(const Config& result, const Config& pass, std::vector<std::size_t>& tasks) {
  Trace trace;
  trace.machine = read_machine(result);
  // If work continues after the task that counts, includes it.
  trace.makespan = time_of(pass, pass.has("makespan_ps") ? "makespan_ps" : "latency_ps");
  if (pass.has("last")) {
    const Config last = pass.map("last");
    trace.last = {static_cast<std::uint32_t>(last.integer("rank", 0, kNone)),
                  static_cast<std::uint32_t>(last.integer("task", 0, kNone))};
  }
  trace.operators = traced_operators(pass, read_operators(pass));
  tasks.clear();
  for (const Config& rank : pass.maps("ranks"))
    tasks.push_back(static_cast<std::size_t>(rank.integer("tasks", 0, kNone)));
  trace.ranks.resize(tasks.size());
  trace.starts = read_starts(result, tasks.size());
  return trace;
}

void check_tasks(const Trace& trace, const std::vector<std::size_t>& tasks, const std::string& csv) {
  for (std::size_t rank = 0; rank < tasks.size(); ++rank) {
    if (trace.ranks[rank].size() == tasks[rank]) continue;
    throw InputError(fmt::format("{}: {} tasks of rank {}, expected {}: was the file cut off?", csv,
                                 trace.ranks[rank].size(), rank, tasks[rank]));
  }
}

PassSums read_sums(const Config& pass, const WorkerKinds& kinds) {
  PassSums sums;
  for (const SavedOperator& op : read_operators(pass)) sums.operators.push_back(op.stats);
  for (const Config& rank : pass.maps("ranks"))
    describe_workers(kinds, sums.workers.emplace_back(kinds.size()), ConfigValues(rank));
  return sums;
}

// Reads why the tasks started. Results of earlier versions lack it.
void read_reasons(const std::filesystem::path& directory, const std::string& pass, Trace& trace) {
  const std::filesystem::path causes = directory / ("causes_" + pass + ".csv"),
                              hosts = directory / ("host_" + pass + ".csv");
  std::error_code error;
  if (!std::filesystem::exists(causes, error)) return infer_causes(trace);
  read_causes(read_file(causes), causes.string(), trace);
  if (trace.machine.has_kernels || trace.machine.streams || std::filesystem::exists(hosts, error))
    read_hosts(read_file(hosts), hosts.string(), trace);
}

std::filesystem::path tasks_file(const std::filesystem::path& directory, const std::string& pass) {
  return directory / ("tasks_" + pass + ".csv");
}

std::vector<CableUse> read_cable_uses(const Config& pass) {
  std::vector<CableUse> uses;
  if (!pass.has("cables")) return uses;
  for (const Config& item : pass.maps("cables")) {
    SavedCable cable;
    describe_cable(cable, ConfigValues(item));
    cable.use.rate = {static_cast<std::int64_t>(cable.rate)};
    uses.push_back(std::move(cable.use));
  }
  return uses;
}

// Reads the cables of a recorded pass from the files beside result.json, if there are any.
void read_cable_files(const std::filesystem::path& directory, const std::string& pass, Trace& trace,
                      std::vector<CableUse>& cables) {
  std::error_code error;
  const auto read = [&](const std::string& kind, const auto& reader) {
    const std::filesystem::path file = directory / (kind + "_" + pass + ".csv");
    if (std::filesystem::exists(file, error)) reader(read_file(file), file.string());
  };
  read("links", [&](const std::string& csv, const std::string& name) { read_links(csv, name, trace); });
  read("cables",
       [&](const std::string& csv, const std::string& name) { read_cables_csv(csv, name, cables); });
  read("cable_traffic",
       [&](const std::string& csv, const std::string& name) { read_cable_traffic_csv(csv, name, cables); });
}

// True if any pass has tasks. A pass without them then lacks a file.
bool is_traced(const std::filesystem::path& directory, const std::vector<Config>& passes) {
  return std::ranges::any_of(passes, [&](const Config& pass) {
    std::error_code error;
    return std::filesystem::exists(tasks_file(directory, pass.text("pass")), error);
  });
}

}  // namespace

std::string how_to_trace(const std::filesystem::path& directory) {
  return fmt::format("'a3sim run {} --trace -o {}' writes each task", (directory / "resolved.yaml").string(),
                     directory.string());
}

SavedRun read_run(const std::filesystem::path& directory, std::string_view pass, Tasks needed) {
  Diagnostics diagnostics;
  const Config result = Config::load(directory / "result.json", {}, diagnostics);
  constexpr std::int64_t kResultVersion = 1;
  if (!result.has("schema_version") || result.integer("schema_version", 0, kNone) != kResultVersion)
    result.error("schema_version",
                 fmt::format("another than {}, that of this a3sim: run again what wrote it", kResultVersion));
  SavedRun run{directory, result.text("name", ""), result.text("a3sim", ""), {}, {}};
  std::vector<std::string> names;
  std::vector<std::size_t> tasks;
  const std::vector<Config> passes = result.maps("passes");
  const bool traced = is_traced(directory, passes);
  if (!traced && needed == Tasks::kNeeded && !passes.empty())
    throw InputError(fmt::format("{}: holds sums by operator and rank, and no tasks: {}", directory.string(),
                                 how_to_trace(directory)));
  for (const Config& config : passes) {
    names.push_back(config.text("pass"));
    if (!pass.empty() && names.back() != pass) continue;
    Trace trace = read_trace(result, config, tasks);
    diagnostics.throw_if_any();
    if (traced) {
      const std::filesystem::path csv = tasks_file(directory, names.back());
      read_tasks(read_file(csv), csv.string(), trace);
      check_tasks(trace, tasks, csv.string());
      if (trace.last != kNoTask &&
          (trace.last.rank >= tasks.size() || trace.last.task >= tasks[trace.last.rank]))
        config.error("last", "no such task");
      diagnostics.throw_if_any();
      read_reasons(directory, names.back(), trace);
    } else {
      // Without tasks, the last one's end is unknown.
      trace.makespan = time_of(config, "latency_ps");
      trace.last = kNoTask;
      run.sums.push_back(read_sums(config, trace.machine.workers));
    }
    std::vector<CableUse> cables = read_cable_uses(config);
    diagnostics.throw_if_any();
    if (traced) read_cable_files(directory, names.back(), trace, cables);
    run.passes.push_back({names.back(), std::move(trace)});
    run.cables.push_back(std::move(cables));
  }
  diagnostics.throw_if_any();
  if (run.passes.empty() && !names.empty())
    throw InputError(fmt::format("--pass: there is no pass '{}', only {}", pass, fmt::join(names, ", ")));
  if (names.empty())
    throw InputError(fmt::format("{}: passes: no pass, expected a result that 'a3sim run -o' wrote",
                                 (directory / "result.json").string()));
  return run;
}

}  // namespace a3sim
