#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "traces/formats/stage_names.h"
#include "traces/formats/trace_format.h"

// Writes Chrome's JSON with the arguments of the in-kernel trace of the public HyperParallel runtime
// (mindspore-ai/hyper-parallel, hyper_parallel/core/multicore: "megaKernelCycleTrace", schema version 1),
// so that its analyses and viewers read it.
namespace a3sim {
namespace {

constexpr std::int64_t kCycle = 20'000;              // of the counter, in picoseconds: 50 MHz
constexpr std::uint64_t kMostTracedTasks = 500'000;  // about 400 MB

std::string_view stage_name(std::string_view op) {
  for (const auto& [ours, theirs] : kStageNames)
    if (op == ours) return theirs;
  return op;
}

// Quotes names of operators, which come from configurations.
std::string json_text(std::string_view text) { return nlohmann::json(text).dump(); }

// Returns all digits: readers parse it as a number and keep what they can.
std::string in_microseconds(std::int64_t picoseconds) {
  return fmt::format("{}.{:06}", picoseconds / 1'000'000, picoseconds % 1'000'000);
}

class CycleWriter {
 public:
  explicit CycleWriter(std::span<const TracedPass> passes) : passes_(passes) {}
  std::string write();

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  // Writes a comma before each event but the first.
  void next() {
    out_ += first_ ? "\n" : ",\n";
    first_ = false;
  }
  void add_tracks();
  void add_task(const Trace& trace, std::uint32_t rank, std::uint32_t task);
  void add_record(std::string_view phase, Duration from, Duration to);

  std::span<const TracedPass> passes_;
  std::string out_;
  bool first_ = true;
  std::size_t invocation_ = 0;
  Duration begin_{};  // of the current pass
  std::uint64_t records_ = 0;
  // Text of the current task.
  std::string stage_, task_args_;
  std::uint32_t rank_ = 0, worker_ = 0;
};

void CycleWriter::add_tracks() {
  const Trace& trace = passes_.front().trace;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    next();
    add(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":"rank {}"}}}})", r, r);
    std::uint32_t worker = 0;
    for (const WorkerKind& kind : trace.machine.workers) {
      for (std::uint32_t w = 0; w < kind.count; ++w, ++worker) {
        next();
        add(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{} {}"}}}})", r, worker,
            kind.name, w);
        next();
        add(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})", r,
            worker, worker);
      }
    }
  }
}

void CycleWriter::add_record(std::string_view phase, Duration from, Duration to) {
  const std::int64_t begin = (begin_ + from).count(), end = (begin_ + to).count();
  next();
  add(R"({{"ph":"X","cat":"MegaKernelInternal","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{)",
      json_text(phase == "Compute" ? stage_ : fmt::format("{}_{}", stage_, phase)), rank_, worker_,
      in_microseconds(begin), in_microseconds(end - begin));
  add(R"("phase":"{}","start_cycle":{},"end_cycle":{},{}}}}})", phase, begin / kCycle, end / kCycle,
      task_args_);
  ++records_;
}

void CycleWriter::add_task(const Trace& trace, std::uint32_t rank, std::uint32_t at) {
  const TraceTask& task = trace.ranks[rank][at];
  const WorkerKinds& kinds = trace.machine.workers;
  const std::uint32_t kind = kinds.queue_of(task.worker);
  const bool put = trace.operators[task.op].unit == TaskUnit::kPut;
  stage_ = stage_name(trace.operators[task.op].name);
  rank_ = rank;
  worker_ = task.worker;
  task_args_ = fmt::format(
      R"("rank":{},"device_id":{},"core_type":"{}","block_id":{},"task_id":{},"desc_id":{},)"
      R"("stage_task_index":{},"task_number":{},"core_entry_cycle":{},"invocation_id":{},"step":0,)"
      R"("direction":{},"owner_id":{})",
      rank, rank, kinds[kind].name, task.worker - kinds.first_worker(kind), at, task.op, task.index,
      trace.ranks[rank].size(), begin_.count() / kCycle, invocation_, json_text(passes_[invocation_].name),
      task.expert == kNone ? std::string("-1") : std::to_string(task.expert));
  if (task.dependent_event != kNone && !trace.machine.has_kernels)
    add_record("WaitDependency", task.taken, task.start);
  add_record("Compute", task.start, task.end);
  if (!put && !trace.machine.has_kernels) add_record("TriggerEvent", task.end, task.end);
}

std::string CycleWriter::write() {
  out_ = R"({"displayTimeUnit":"ns","traceEvents":[)";
  add_tracks();
  std::string invocations;
  for (const TracedPass& pass : passes_) {
    const std::uint64_t before = records_;
    for (std::uint32_t r = 0; r < pass.trace.ranks.size(); ++r)
      for (std::uint32_t t = 0; t < pass.trace.ranks[r].size(); ++t) add_task(pass.trace, r, t);
    fmt::format_to(std::back_inserter(invocations),
                   R"({}{{"invocation_id":{},"step":0,"direction":{},"recordCount":{}}})",
                   invocations.empty() ? "" : ",", invocation_, json_text(pass.name), records_ - before);
    begin_ += pass.trace.makespan;
    ++invocation_;
  }
  add("\n],\"megaKernelCycleTrace\":{{\"schemaVersion\":1,\"simulated\":\"a3sim\",\"clockHz\":50000000,");
  add(R"("invocationCount":{},"recordCount":{},"droppedRecordCount":0,"warnings":[],"invocations":[{}]}}}})",
      passes_.size(), records_, invocations);
  return std::move(out_) + '\n';
}

class CycleTrace final : public TraceFormat {
 public:
  std::uint64_t most_tasks() const override { return kMostTracedTasks; }
  std::vector<OutputFile> write(std::span<const TracedPass> passes) const override {
    return {{"", CycleWriter(passes).write()}};
  }
};

A3SIM_REGISTER(TraceFormat, "cycles",
               "Chrome JSON with the records of the public runtime's in-kernel trace (megaKernelCycleTrace)",
               CycleTrace);

}  // namespace
}  // namespace a3sim
