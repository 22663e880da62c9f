#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/experiment/run/bounds.h"
#include "sim/experiment/work.h"
#include "sim/memory/l2/l2.h"
#include "sim/runtime/result.h"
#include "traces/report/report.h"
#include "traces/trace.h"

namespace a3sim {

// The traffic of an operator's tasks, over all ranks.
struct OperatorTraffic {
  L2Traffic l2;
  // One entry per operator: read requests that found in the L2 what that one had left there. Empty if this is
  // not recorded.
  std::vector<std::uint64_t> left_by;
};

// Results of a run that only its own kind of work reads again, in its sections.
struct RunDetails {
  virtual ~RunDetails() = default;
};

// The outcome of one run of a pass, of any kind of work. Reports, saved files, metrics and comparisons follow from it
// alone. At Record::kLatency only its base and its name are set.
struct RunOutcome : PassOutcome {
  std::string name;   // of the pass
  WorkerKinds lanes;  // the workers, or the streams, of a rank
  RunResult sums;     // by rank and lane, without records of tasks
  std::vector<OperatorTraffic> operators;
  Bounds bounds;
  std::optional<Trace> trace;  // at Record::kTrace
  std::shared_ptr<const RunDetails> details;
};

// A file of a result directory.
struct NamedFile {
  std::string name, contents;
};

// The sections that a kind of work adds to the summary that all kinds have in common.
struct OwnSections {
  std::string head;                // what ran: lines below the experiment's name
  Report before, after;            // before and after the passes; programs find the facts of `before` first
  std::vector<NamedFile> files{};  // kept beside result.json
};

// Returns the outcome of a pass that left this trace, with sums over it. Without Record::kTrace it keeps the
// sums alone. Its bounds are not set.
RunOutcome outcome_of(std::string pass, Trace trace, Record record);

// Returns the latency of passes that follow one another.
Duration total_of(std::span<const RunOutcome> passes);

}  // namespace a3sim
