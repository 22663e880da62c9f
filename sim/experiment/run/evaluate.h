#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/experiment/experiment.h"
#include "sim/experiment/run/draws.h"

namespace a3sim {

// Latencies, one per run.
using Latencies = std::vector<Duration>;

// One of several experiments to compare. They may differ in order, machine or anything else.
struct Variant {
  Experiment experiment;
  std::shared_ptr<const PreparedWork> work;  // null if not prepared, or if it does not fit

  std::size_t passes() const { return work ? work->passes() : 0; }
};

// Prepares the variants that are not prepared yet, in parallel. A variant that cannot be prepared stays
// without work, and its reason goes to its entry in `refused`. If `refused` is null, throws the InputError of
// the first one instead.
void prepare(std::span<Variant> variants, unsigned threads, std::vector<std::string>* refused = nullptr);

// Finds passes that run alike under several variants on one machine, so that one run represents all of them.
// Orders often differ in one pass only, or in one queue of it.
class EqualPasses {
 public:
  explicit EqualPasses(std::span<const Variant> variants);

  struct Pass {
    std::size_t variant, pass;
  };
  // Returns the passes to run: of equal ones, the first variant's. Later passes come first, because backward
  // takes longer.
  const std::vector<Pass>& to_run() const { return to_run_; }
  // Returns the variant whose run represents this one's pass; itself, if the pass is to be run.
  std::size_t first(std::size_t variant, std::size_t pass) const { return first_[variant][pass]; }
  // Returns the first variant before this one whose passes are all equal to its passes.
  std::optional<std::size_t> same_as(std::size_t variant) const;

 private:
  // One entry per variant, then pass; empty if the variant does not fit.
  std::vector<std::vector<std::size_t>> first_;
  std::vector<Pass> to_run_;
};

// The outcomes of a variant.
struct Evaluated {
  std::vector<std::vector<PassOutcome>> passes;  // one entry per pass, then run

  // These return sums over all passes, one per run.
  Latencies totals() const;
  Latencies ends_apart() const;
  // Returns the latencies of one pass, one per run.
  Latencies latencies(std::size_t pass) const;
  // Returns whether some run stopped at its limit. Its latency is then only a lower bound.
  bool stopped() const;
};

struct EvaluateOptions {
  JitterOptions jitter{};
  unsigned threads = 1;      // results do not depend on it
  bool one_machine = false;  // all variants are on one machine, so that equal passes run once
  // Selects among the jitter's runs: at most `runs` of them, from `first_run` on.
  std::uint32_t first_run = 0, runs = std::numeric_limits<std::uint32_t>::max();
  // One limit per run; empty: no limits. A run of a pass stops once its time and the bounds of the variant's
  // other passes exceed the run's limit. This never changes which variant is the best.
  Latencies limits{};
  // If set, runs a pass of a variant instead of its work, for callers that need more than its outcome. Limits
  // then have no effect.
  std::function<PassOutcome(std::size_t variant, std::size_t pass, const Draw& draw)> run{};
  // Other jobs to do in parallel. They start before the runs.
  std::vector<std::function<void()>> beside{};
};

// Runs all variants that fit, in the same draws. Throws what a run throws: the first one's exception, in the
// order of variants and runs. Ctrl-C ends it in programs that check for it (interruption.h).
std::vector<Evaluated> evaluate(std::span<const Variant> variants, const EvaluateOptions& options);

}  // namespace a3sim
