#include "traces/explanation.h"

#include <fmt/format.h>

namespace a3sim {
namespace {

// What a reader calls it, and what may help. Names in brackets are those of the configuration.
struct Advice {
  std::string_view what, remedy;
};

Advice advice_on(Blame blame) {
  switch (blame) {
    case Blame::kCube:
      return {"cube arithmetic", "only fewer operations shorten it"};
    case Blame::kVector:
      return {"vector arithmetic",
              "cut it finer, start it earlier or give it more workers (cut.task_rows, order.vtq)"};
    case Blame::kCore:
      return {"cores' own loads and stores", "try other base blocks, or tasks of other sizes (tiling, cut)"};
    case Blame::kPut:
      return {"puts at the rate of one worker",
              "send what is needed first in smaller pieces (cut.chunk, order.vtq)"};
    case Blame::kL2Read:
      return {"the bandwidth of L2 reads", "try larger base blocks, which read less (tiling)"};
    case Blame::kL2Write:
      return {"the bandwidth of L2 writes", "run writing operators apart from each other (order)"};
    case Blame::kHbm:
      return {"the HBM's bandwidth",
              "run what shares operands close in time, so that the L2 keeps them (order)"};
    case Blame::kMiss:
      return {"L2 misses",
              "run what shares operands close in time, so that the L2 keeps them (order, l2.hints)"};
    case Blame::kLink:
      return {"puts that share a port",
              "send what is needed first, in smaller pieces, to every rank in turn (cut.chunk, order.vtq)"};
    case Blame::kHop:
      return {"latencies between ranks", "send fewer, larger pieces (cut.chunk)"};
    case Blame::kPoll:
      return {"waiting for triggers to be seen", "cut fewer, larger tasks (cut)"};
    case Blame::kScheduling:
      return {"handing out tasks",
              "cut fewer, larger tasks, or schedule statically (cut, experiment.execution)"};
    case Blame::kLaunch:
      return {"launching kernels", "run all operators as one kernel (experiment.execution)"};
    case Blame::kCollective:
      break;
  }
  return {"the host's preparation of collectives", "send from the device (experiment.execution)"};
}

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
  Blame largest(std::uint32_t except = kBlames) const {
    std::uint32_t most = except == 0 ? 1 : 0;
    for (std::uint32_t b = most + 1; b < kBlames; ++b) {
      if (b != except && sums_[b] > sums_[most]) most = b;
    }
    return static_cast<Blame>(most);
  }
  // "L2 misses (12 %, 9 % in GMM1)"
  std::string text(Blame blame) const {
    const auto b = static_cast<std::size_t>(blame);
    std::size_t op = 0;
    for (std::size_t o = 1; o < path_.blame.size(); ++o) {
      if (path_.blame[o][b] > path_.blame[op][b]) op = o;
    }
    const Duration there = path_.blame[op][b];
    const std::string where = there == sums_[b]
                                  ? fmt::format(" in {}", trace_.operators[op].name)
                                  : fmt::format(", {} in {}", percent(there), trace_.operators[op].name);
    return fmt::format("{} ({}{})", advice_on(blame).what, percent(sums_[b]), where);
  }

 private:
  std::string percent(Duration time) const {
    return fmt::format("{:.1f} %", 100 * seconds(time) / seconds(trace_.makespan));
  }
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
  const Blame next = ranking.largest(static_cast<std::uint32_t>(most));
  return fmt::format("{}; next comes what one can change, {}: {}.", text, ranking.text(next),
                     remedy(trace, next));
}

}  // namespace a3sim
