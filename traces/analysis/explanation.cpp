#include "traces/analysis/explanation.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {
namespace {

// What a reader calls it, and what may help. Names in brackets are those of the configuration.
struct Advice {
  std::string_view what, remedy;
};

// By Blame.
constexpr Advice kAdvice[kBlames] = {
    {"cube arithmetic", "only fewer operations shorten it"},
    {"vector arithmetic",
     "cut it finer, start it earlier or give it more workers (cut.task_rows, order.vtq)"},
    {"cores' own loads and stores", "try other base blocks, or tasks of other sizes (tiling, cut)"},
    {"puts at the rate of one worker", "send what is needed first in smaller pieces (cut.chunk, order.vtq)"},
    {"the bandwidth of L2 reads", "try larger base blocks, which read less (tiling)"},
    {"the bandwidth of L2 writes", "run writing operators apart from each other (order)"},
    {"the HBM's bandwidth", "run what shares operands close in time, so that the L2 keeps them (order)"},
    {"L2 misses", "run what shares operands close in time, so that the L2 keeps them (order, l2.hints)"},
    {"puts that share a port",
     "send what is needed first, in smaller pieces, to every rank in turn (cut.chunk, order.vtq)"},
    {"latencies between ranks", "send fewer, larger pieces (cut.chunk)"},
    {"waiting for triggers to be seen", "cut fewer, larger tasks (cut)"},
    {"handing out tasks", "cut fewer, larger tasks, or schedule statically (cut, experiment.execution)"},
    {"launching kernels", "run all operators as one kernel (experiment.execution)"},
    {"the host's preparation of collectives", "send from the device (experiment.execution)"}};

const Advice& advice_on(Blame blame) { return kAdvice[static_cast<std::size_t>(blame)]; }

std::string_view remedy(const Trace& trace, Blame blame) {
  const bool sending = blame == Blame::kPut || blame == Blame::kLink || blame == Blame::kHop;
  if (sending && trace.machine.by_kernels) {
    return "send while the cubes run, from the device (experiment.execution)";
  }
  return advice_on(blame).remedy;
}

// "L2 misses (12 %, 9 % in GMM1)"
std::string blame_text(const Trace& trace, const CriticalPath& path, const BlameTimes& sums, Blame blame) {
  const auto b = static_cast<std::size_t>(blame);
  const auto percent = [&](Duration time) { return in_percent(seconds(time) / seconds(trace.makespan)); };
  const auto most = std::ranges::max_element(path.blame, {}, [&](const BlameTimes& of) { return of[b]; });
  const Duration there = (*most)[b];
  const std::string& op = trace.operators[static_cast<std::size_t>(most - path.blame.begin())].name;
  return fmt::format("{} ({}{} in {})", advice_on(blame).what, percent(sums[b]),
                     there == sums[b] ? "" : ", " + percent(there), op);
}

Blame largest(const BlameTimes& sums) {
  return static_cast<Blame>(std::ranges::max_element(sums) - sums.begin());
}

}  // namespace

std::string_view described(Blame blame) { return advice_on(blame).what; }

Explanation explain(const Trace& trace) {
  const Causes causes(trace);
  return {worker_times(causes), critical_path(causes), overlaps(trace), rooflines(trace)};
}

// Arithmetic of the cubes is what the machine is there for: what comes behind it is what can be changed.
std::string advice(const Trace& trace, const CriticalPath& path) {
  if (path.steps.empty()) return "Nothing ran.";
  BlameTimes sums{};
  for (const BlameTimes& of : path.blame) {
    for (std::uint32_t b = 0; b < kBlames; ++b) sums[b] += of[b];
  }
  const Blame most = largest(sums);
  std::string text = "Most of the critical path is spent on " + blame_text(trace, path, sums, most);
  if (most != Blame::kCube) return text + ": " + std::string(remedy(trace, most)) + '.';
  at(sums, most) = Duration::min();
  const Blame next = largest(sums);
  return fmt::format("{}; next comes what one can change, {}: {}.", text, blame_text(trace, path, sums, next),
                     remedy(trace, next));
}

}  // namespace a3sim
