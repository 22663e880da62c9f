#include "sim/study/summary/run_summary.h"

#include "sim/study/summary/range_report.h"
#include "sim/study/summary/report.h"

namespace a3sim {

RunSummary run_summary(const Experiment& experiment, const Compiled& compiled,
                       std::span<const PassResult> passes) {
  RunSummary summary{summary_text(experiment, passes), summary_json(experiment, passes)};
  if (!experiment.timed.empty()) {
    const Report range = range_report(experiment, passes, latency_range(experiment, compiled));
    summary.text += '\n' + range.text();
    summary.json["range"] = range.json();
  }
  return summary;
}

}  // namespace a3sim
