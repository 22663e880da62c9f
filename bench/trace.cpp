#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/result/report.h"
#include "traces/formats/gzip.h"
#include "traces/formats/trace_format.h"
#include "traces/trace_csv.h"

// Measures the cost of a run's trace (`a3sim run --trace`), and how fast a trace is written for other tools:
// a made one with a million slices, consecutive tasks on every worker, each of which waits for the previous
// one on the next worker.
namespace {

using namespace a3sim;

constexpr std::uint32_t kRanks = 8, kWorkers = 48;
constexpr std::uint32_t kTasks = 500'000 / (kRanks * kWorkers);  // a worker's; each has a wait

TracedPass made_pass() {
  TracedPass pass{"forward", {}};
  Trace& trace = pass.trace;
  trace.machine.workers = aic_and_aiv(kWorkers / 2, kWorkers / 2);
  for (const char* name : {"Dispatch", "GMM1", "SwiGLU", "GMM2", "Combine"})
    trace.operators.push_back({.name = name, .left_by = {}});
  trace.ranks.resize(kRanks);
  trace.starts.resize(kRanks);
  for (std::uint32_t r = 0; r < kRanks; ++r) {
    for (std::uint32_t i = 0; i < kTasks; ++i) {
      for (std::uint32_t w = 0; w < kWorkers; ++w) {
        TraceTask& task = trace.ranks[r].emplace_back();
        task.op = i % 5;
        task.worker = w;
        task.trigger_rank = r;
        task.trigger_event = i * kWorkers + (w + 1) % kWorkers;
        if (i > 0) task.dependent_event = (i - 1) * kWorkers + w;
        task.taken = Duration(i * 2'000'000LL);
        task.start = task.taken + 900'000_ps;
        task.end = task.start + 1'100'000_ps;
        task.done = task.end;
        task.visible = task.end + 400'000_ps;
        task.ideal = task.end - task.start;
        task.hbm_bytes = 1 << 16;
        task.l2_hits = task.l2_misses = 64;
      }
    }
  }
  trace.makespan = Duration((kTasks + 1) * 2'000'000LL);
  return pass;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double processor_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Measures the processor time of a run with its summary, and of its tasks as CSV.
void print_cost_of_tracing(std::uint32_t ep) {
  constexpr int kRepeats = 7;
  double run = 1e9, trace = 1e9;
  for (int i = 0; i < kRepeats; ++i) {
    const double start = processor_time();
    const Experiment experiment =
        load_experiment(configs_folder() / "experiments" / fmt::format("ep{}.yaml", ep), {});
    const std::vector<PassResult> passes = run_experiment(experiment, true);
    const std::vector<RunOutcome> outcomes = outcomes_of(experiment, passes, Record::kTrace);
    const RunSummary page = run_summary(experiment, *prepared_schedules({}), outcomes);
    const std::string summary = page.text + page.json.dump(2);
    const double ran = processor_time();
    std::size_t bytes = summary.size();
    for (const RunOutcome& pass : outcomes) bytes += tasks_csv(*pass.trace).size();
    if (bytes == 0) return;
    run = std::min(run, ran - start);
    trace = std::min(trace, processor_time() - ran);
  }
  fmt::print("EP{:<3} a run {:.0f} ms, its trace {:.0f} ms: {:.1f} %\n", ep, 1e3 * run, 1e3 * trace,
             100 * trace / run);
}

}  // namespace

int main() {
  for (const std::uint32_t ep : {4U, 8U, 16U}) print_cost_of_tracing(ep);
  const std::vector<TracedPass> passes{made_pass()};
  const double slices = 1e-6 * (2.0 * kTasks - 1) * kRanks * kWorkers;
  for (const char* format : {"perfetto", "cycles"}) {
    const auto start = std::chrono::steady_clock::now();
    const std::string text = TraceFormats::get(format).write(passes).front().contents;
    const double time = seconds_since(start);
    const auto packing = std::chrono::steady_clock::now();
    const std::string packed = gzip(text);
    fmt::print("{:9} {:.2f} M slices in {:.2f} s, {:.0f} bytes each; .gz {:.1f} bytes each in {:.2f} s\n",
               format, slices, time, static_cast<double>(text.size()) / (1e6 * slices),
               static_cast<double>(packed.size()) / (1e6 * slices), seconds_since(packing));
  }
}
