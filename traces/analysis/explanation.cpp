#include "traces/analysis/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

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

// The entries of a path's blame, by what time was spent on.
class BlameRanking {
 public:
  BlameRanking(const Trace& trace, const CriticalPath& path) : trace_(trace), path_(path) {
    for (const BlameTimes& of : path.blame) {
      for (std::uint32_t b = 0; b < kBlames; ++b) sums_[b] += of[b];
    }
  }
  // The largest, but for `except`.
  Blame largest(std::optional<Blame> except = {}) const {
    BlameTimes sums = sums_;
    if (except) at(sums, *except) = Duration::min();
    return static_cast<Blame>(std::ranges::max_element(sums) - sums.begin());
  }
  // "L2 misses (12 %, 9 % in GMM1)"
  std::string text(Blame blame) const {
    const auto b = static_cast<std::size_t>(blame);
    const auto most = std::ranges::max_element(path_.blame, {}, [&](const BlameTimes& of) { return of[b]; });
    const Duration there = (*most)[b];
    const std::string& op = trace_.operators[static_cast<std::size_t>(most - path_.blame.begin())].name;
    const std::string where = there == sums_[b] ? " in " + op : fmt::format(", {} in {}", percent(there), op);
    return fmt::format("{} ({}{})", advice_on(blame).what, percent(sums_[b]), where);
  }

 private:
  std::string percent(Duration time) const { return in_percent(seconds(time) / seconds(trace_.makespan)); }

  const Trace& trace_;
  const CriticalPath& path_;
  BlameTimes sums_{};
};

}  // namespace

Explanation explain(const Trace& trace) {
  const Causes causes(trace);
  return {worker_times(causes), critical_path(causes), overlaps(trace), rooflines(trace)};
}

// Arithmetic of the cubes is what the machine is there for: what comes behind it is what can be changed.
std::string advice(const Trace& trace, const CriticalPath& path) {
  if (path.steps.empty()) return "Nothing ran.";
  const BlameRanking ranking(trace, path);
  const Blame most = ranking.largest();
  std::string text = "Most of the critical path is spent on " + ranking.text(most);
  if (most != Blame::kCube) return text + ": " + std::string(remedy(trace, most)) + '.';
  const Blame next = ranking.largest(most);
  return fmt::format("{}; next comes what one can change, {}: {}.", text, ranking.text(next),
                     remedy(trace, next));
}

}  // namespace a3sim
