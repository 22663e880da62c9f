#include "traces/analysis/overlap.h"

#include <algorithm>

#include "traces/analysis/spans.h"

namespace a3sim {

std::vector<Overlap> overlaps(const Trace& trace) {
  std::vector<Spans> puts(trace.ranks.size()), cubes(trace.ranks.size());
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    for (const TraceTask& task : trace.ranks[r]) {
      if (task.remote) {
        puts[r].add(task.start, task.visible);
        puts[task.dst].add(task.start, task.visible);
      } else if (task.worker < trace.machine.workers[0]) {
        cubes[r].add(task.start, task.end);
      }
    }
  }
  std::vector<Overlap> ranks(trace.ranks.size());
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    puts[r].unite();
    cubes[r].unite();
    ranks[r].hidden = puts[r].common(cubes[r]);
    ranks[r].exposed = puts[r].length() - ranks[r].hidden;
  }
  return ranks;
}

}  // namespace a3sim
