#include "traces/analysis/overlap.h"

#include "traces/analysis/times.h"

namespace a3sim {

std::vector<Overlap> overlaps(const Trace& trace) {
  std::vector<Times> puts(trace.ranks.size()), cubes(trace.ranks.size());
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    for (const TraceTask& task : trace.ranks[r]) {
      if (task.remote) {
        add_stretch(puts[r], task.start, task.visible);
        add_stretch(puts[trace.rank_of(task.dst)], task.start, task.visible);
      } else if (trace.operators[task.op].unit == TaskUnit::kCube) {
        add_stretch(cubes[r], task.start, task.end);
      }
    }
  }
  std::vector<Overlap> ranks(trace.ranks.size());
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    ranks[r].hidden = length_of(puts[r] & cubes[r]);
    ranks[r].exposed = length_of(puts[r]) - ranks[r].hidden;
  }
  return ranks;
}

}  // namespace a3sim
