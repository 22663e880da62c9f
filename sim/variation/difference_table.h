#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/experiment/run/bounds.h"
#include "sim/variation/noise.h"
#include "sim/variation/variation.h"

namespace a3sim {

// Latencies of an experiment with all passes run one after the other.
struct VariedOutcome {
  std::vector<Latencies> passes;  // by pass, then by run
  Latencies totals;               // by run
  std::array<Duration, kBounds> bounds{};
  Duration total() const { return median_of(totals); }
};

// The outcome of a variation.
struct Difference {
  std::string name;
  VariedOutcome outcome;  // without totals before it has run
  std::string refused;    // why there is no such experiment, or why it did not run
  bool ran() const { return !outcome.totals.empty(); }
};

// An experiment and its variations, all under the same draws.
struct DifferenceTable {
  std::vector<std::string> passes;  // their names
  VariedOutcome base;               // the experiment as it is
  std::vector<Difference> rows;     // in the order of the variations

  // Return by how much longer the variation takes than the base, run by run: in picoseconds, and as a share.
  MedianInterval apart(const Difference& row) const {
    return difference_between(row.outcome.totals, base.totals);
  }
  MedianInterval relative(const Difference& row) const {
    return relative_difference(row.outcome.totals, base.totals);
  }
};

// Says when a variation runs no further. One that changes nothing in the first runs, to the picosecond, never does: the
// others would be those of the experiment as it is.
enum class RunsNeeded : std::uint8_t {
  kAll,
  // Six are enough if by then the difference has one sign, and its smallest amount is larger than the range of all.
  kUntilClear
};

struct DifferenceOptions {
  JitterOptions jitter{};
  unsigned threads = 1;      // results do not depend on it
  bool one_machine = false;  // all variations are on one machine, so that equal passes run once
  bool hold = true;  // hold all prepared work at once; else prepare, run and free one a thread after another
  RunsNeeded runs = RunsNeeded::kAll;
  std::uint32_t runs_at_a_time = 1;
  bool bounds = false;                // compute the bounds, too
  std::vector<std::string> passes{};  // only these; empty: all
  // Called with what is known: after each round of runs (how many have ended), and after each variation that is not held.
  std::function<void(const DifferenceTable&, std::uint32_t runs)> seen{};
};

// Runs an experiment, which is prepared if it is not yet, and its variations. Throws InputError if the experiment cannot be prepared, RunError if a run of
// it fails; a variation that fails is refused with the reason.
DifferenceTable differences(Variant experiment, std::span<const Variation> variations,
                            const DifferenceOptions& options);

// Runs variations of an experiment that itself need not run. The base of the table is the first row that ran. Throws RunError if a
// run of that one fails; the others are refused with the reason.
DifferenceTable outcomes(const Experiment& experiment, std::span<const Variation> variations,
                         const DifferenceOptions& options);

// Returns whether the differences have one sign in all runs, and the smallest amount is larger than their range.
bool is_clear_by_far(const Latencies& a, const Latencies& b);

}  // namespace a3sim
