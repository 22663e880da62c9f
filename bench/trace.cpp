#include <fmt/format.h>

#include <chrono>

#include "traces/formats/gzip.h"
#include "traces/formats/trace_format.h"

// How fast a trace is written: a made one of a million slices, tasks one after the other on every worker, each
// of which stood waiting for the one before it on the next worker.
namespace {

using namespace a3sim;

constexpr std::uint32_t kRanks = 8, kWorkers = 48;
constexpr std::uint32_t kTasks = 500'000 / (kRanks * kWorkers);  // a worker's; each has a wait

TracedPass made_pass() {
  TracedPass pass{"forward", {}};
  Trace& trace = pass.trace;
  trace.machine.workers[0] = trace.machine.workers[1] = kWorkers / 2;
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

}  // namespace

int main() {
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
