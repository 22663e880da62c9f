#include "sim/study/summary/range_report.h"

#include <fmt/format.h>

namespace a3sim {

Report range_report(const Experiment& experiment, std::span<const PassResult> passes,
                    const LatencyRange& range) {
  Report report;
  report.say(fmt::format("timed: {}\n", experiment.timed), "timed");
  Table& table =
      report.table("latencies", {Column::words("pass"), Column::microseconds("latency us", "latency_ps"),
                                 Column::microseconds("behind the launch us", "behind_launch_ps"),
                                 Column::microseconds("at the fast ends", "fast_ps"),
                                 Column::microseconds("at the slow ends", "slow_ps")});
  for (std::size_t p = 0; p < passes.size(); ++p) {
    const Duration latency = passes[p].run.makespan;
    table.add({passes[p].name, latency, latency - experiment.hardware.runtime.kernel_launch, range.fast[p],
               range.slow[p]});
  }
  report.say("The ends: every value below at the faster and at the slower one that public sources give.\n");
  Table& assumed = report.table("assumed", {Column::words("assumed", "value"), Column::words("is"),
                                            Column::words("from", "low"), Column::words("to", "high")});
  for (const SourcedValue& value : range.assumed)
    assumed.add({value.path, value.value, value.low, value.high});
  return report;
}

}  // namespace a3sim
