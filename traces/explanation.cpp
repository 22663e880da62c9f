#include "traces/explanation.h"

#include <fmt/format.h>

namespace a3sim {
namespace {

// What may help where time goes. Options are those of the configuration.
std::string_view remedy(Blame blame) {
  switch (blame) {
    case Blame::kCube:
      return "the cubes bind, so only fewer or cheaper products help: their tiling, or more even shares "
             "(tiling, cut.shares)";
    case Blame::kVector:
      return "vector work stands in the way: cut it finer, start it earlier or give it more workers "
             "(cut.task_rows, order.vtq, workers.aiv)";
    case Blame::kPut:
      return "what is sent stands in the way: send what is needed first in smaller pieces, from more workers "
             "(cut.chunk, order.vtq)";
    case Blame::kL2Read:
    case Blame::kL2Write:
      return "the L2's bandwidth binds: larger base blocks move less, other orders spread it (tiling, order)";
    case Blame::kHbm:
    case Blame::kMiss:
      return "the HBM binds: run what shares operands close in time, so that the L2 keeps them (order.ctq, "
             "l2.hints)";
    case Blame::kLink:
      return "puts share ports: an order in which every destination gets its turn, or less at a time "
             "(order.vtq with (dst - rank) % ep)";
    case Blame::kHop:
    case Blame::kPoll:
      return "latencies add up along the chain: fewer, larger pieces (cut.chunk, cut.task_rows)";
    case Blame::kScheduling:
      return "handing out tasks costs most: fewer, larger tasks, or a static schedule (cut, "
             "experiment.execution)";
    case Blame::kLaunch:
    case Blame::kCollective:
      break;
  }
  return "the host stands in the way: run all operators as one kernel (experiment.execution=static)";
}

}  // namespace

Explanation explain(const Trace& trace) {
  const Causes causes(trace);
  return {worker_times(causes), critical_path(causes), overlaps(trace), rooflines(trace)};
}

std::string advice(const Trace& trace, const CriticalPath& path) {
  BlameTimes sums{};
  for (const BlameTimes& of : path.blame) {
    for (std::uint32_t b = 0; b < kBlames; ++b) sums[b] += of[b];
  }
  std::uint32_t most = 0;
  for (std::uint32_t b = 1; b < kBlames; ++b) {
    if (sums[b] > sums[most]) most = b;
  }
  std::size_t op = 0;
  for (std::size_t o = 1; o < path.blame.size(); ++o) {
    if (path.blame[o][most] > path.blame[op][most]) op = o;
  }
  const auto percent = [&](Duration time) { return 100 * seconds(time) / seconds(trace.makespan); };
  return fmt::format("Most of the critical path, {:.0f} %, is {} ({:.0f} % in {}): {}.", percent(sums[most]),
                     name_of(static_cast<Blame>(most)), percent(path.blame[op][most]),
                     trace.operators[op].name, remedy(static_cast<Blame>(most)));
}

}  // namespace a3sim
