#include "traces/analysis/roofline.h"

#include <algorithm>

#include "traces/analysis/times.h"

namespace a3sim {
namespace {

struct Sums {
  double operations = 0, put_bytes = 0;
  Duration ran{}, arithmetic{};
  Duration any_ran{};  // time with some of its tasks running, summed over ranks

  std::uint32_t kind = 0;  // of its workers
};

bool of_puts(const Trace& trace, std::uint32_t op) { return trace.operators[op].unit == TaskUnit::kPut; }

// Sums the work. Copies within a rank do not use its port.
std::vector<Sums> sums_of(const Trace& trace) {
  std::vector<Sums> sums(trace.operators.size());
  for (const auto& rank : trace.ranks) {
    std::vector<Times> runs(trace.operators.size());
    for (const TraceTask& task : rank) {
      Sums& totals = sums[task.op];
      totals.kind = trace.machine.workers.queue_of(task.worker);
      totals.operations += static_cast<double>(task.operations);
      totals.ran += task.end - task.start;
      totals.arithmetic += task.arithmetic;
      totals.put_bytes += static_cast<double>(task.put_bytes);
      if (!task.remote && of_puts(trace, task.op)) continue;
      add_stretch(runs[task.op], task.start, task.end);
    }
    for (std::size_t op = 0; op < runs.size(); ++op) sums[op].any_ran += length_of(runs[op]);
  }
  return sums;
}

double ratio(double amount, double value) { return value > 0 ? amount / value : 0; }

}  // namespace

std::vector<Roofline> rooflines(const Trace& trace) {
  const TraceMachine& machine = trace.machine;
  const std::vector<Sums> sums = sums_of(trace);
  const auto ranks = static_cast<double>(trace.ranks.size());
  std::vector<Roofline> roofs(sums.size());
  for (std::size_t op = 0; op < roofs.size(); ++op) {
    const TraceOperator& trace_operator = trace.operators[op];
    Roofline& roof = roofs[op];
    const double operations = sums[op].operations;
    roof.operations = operations / ranks;
    roof.hbm_bytes = (trace_operator.hbm_read + trace_operator.hbm_written) / ranks;
    roof.l2_bytes = (trace_operator.l2_read + trace_operator.l2_written) / ranks;
    if (of_puts(trace, static_cast<std::uint32_t>(op))) {
      roof.achieved = ratio(sums[op].put_bytes, seconds(sums[op].any_ran));
      roof.peak = machine.port;
      continue;
    }
    roof.intensity = ratio(roof.operations, roof.hbm_bytes);
    roof.l2_intensity = ratio(roof.operations, roof.l2_bytes);
    const double workers = machine.workers.empty() ? 0 : machine.workers[sums[op].kind].count;
    roof.peak = workers * ratio(operations, seconds(sums[op].arithmetic));
    // Writes take the HBM longer than reads. The slower of the L2's reads and the HBM sets the roof.
    const double hbm =
        trace_operator.hbm_read / machine.hbm_read + trace_operator.hbm_written / machine.hbm_write;
    const double l2 = trace_operator.l2_read / machine.l2_read;
    roof.l2_bound = l2 > hbm;
    roof.memory = ratio(operations, std::max(hbm, l2));
    const bool by_memory = roof.roof() < roof.peak;
    roof.achieved = by_memory ? ratio(operations, seconds(sums[op].any_ran))
                              : workers * ratio(operations, seconds(sums[op].ran));
  }
  return roofs;
}

}  // namespace a3sim
