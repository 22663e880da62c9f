#include <fmt/format.h>

#include "sim/experiment/experiment.h"
#include "sim/experiment/run/draws.h"
#include "sim/experiment/run/own_values.h"
#include "sim/experiment/run/run_estimate.h"
#include "sim/experiment/run/run_outcome.h"

// The defaults of all kinds of work.
namespace a3sim {

std::vector<RunOutcome> PreparedWork::run_all(const Experiment& on, Record record, unsigned) const {
  std::vector<RunOutcome> outcomes;
  for (std::size_t pass = 0; pass < passes(); ++pass)
    outcomes.push_back(run(on, pass, {}, Duration::max(), record));
  return outcomes;
}

OwnSections PreparedWork::sections(const Experiment& on, std::span<const RunOutcome>) const {
  OwnSections own;
  own.head = fmt::format("machine   {}\n", on.hardware.name) + own_values(on);
  return own;
}

RunEstimate ExperimentWork::estimate(const Experiment&, bool) const { return {}; }

}  // namespace a3sim
