#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/experiment/draws.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// Latencies by run.
using Latencies = std::vector<Duration>;

// One of the experiments that are compared: it differs from the others in its order, its machine or anything else.
struct Variant {
  Experiment experiment;
  std::shared_ptr<const PreparedWork> work;  // none: it has not been prepared, or does not fit

  std::size_t passes() const { return work ? work->passes() : 0; }
};

// Prepares the work of those that have none, so many at a time. With `refused`, a variant that cannot be prepared is left
// without, and its reason goes there; otherwise the first one's InputError is thrown.
void prepare(std::span<Variant> variants, unsigned threads, std::vector<std::string>* refused = nullptr);

// Which passes run alike under several variants on one machine. One run stands for all of them: orders often differ in
// one pass, or in one queue of it.
class EqualPasses {
 public:
  explicit EqualPasses(std::span<const Variant> variants);

  struct Pass {
    std::size_t variant, pass;
  };
  // The passes to run: of equal ones the first variant's. Later passes come first, for backward takes longer.
  const std::vector<Pass>& to_run() const { return to_run_; }
  // The variant whose run stands for this one's; itself, if that is to run.
  std::size_t first(std::size_t variant, std::size_t pass) const { return first_[variant][pass]; }
  // The first variant before this one whose passes are all alike.
  std::optional<std::size_t> same_as(std::size_t variant) const;

 private:
  std::vector<std::vector<std::size_t>> first_;  // by variant, then pass; empty where it does not fit
  std::vector<Pass> to_run_;
};

// What a variant came to.
struct Evaluated {
  std::vector<std::vector<PassOutcome>> passes;  // by pass, by run

  // Of all passes, one after the other, by run.
  Latencies totals() const;
  Latencies ends_apart() const;
  // Of one pass, by run.
  Latencies latencies(std::size_t pass) const;
  // Whether some run stopped at its limit: then its latency is no more than a lower bound.
  bool stopped() const;
};

struct EvaluateOptions {
  JitterOptions jitter{};
  unsigned threads = 1;      // results do not depend on it
  bool one_machine = false;  // all variants are on one machine: passes that are alike run once
  // Which of the jitter's runs: from `first_run` on, at most so many.
  std::uint32_t first_run = 0, runs = std::numeric_limits<std::uint32_t>::max();
  // By run, totals that are of interest; empty: all are. A run of a pass stops once it and the bounds of the variant's
  // other passes exceed that. Which variant is the best never changes for it.
  Latencies limits{};
  // Runs a pass of a variant where more is wanted than its outcome; none: its work does, which alone keeps to limits.
  std::function<PassOutcome(std::size_t variant, std::size_t pass, const Draw& draw)> run{};
  // What is to be done beside the runs, and begins before them.
  std::vector<std::function<void()>> beside{};
};

// Runs all variants that fit in the same draws. Throws what a run throws, the first one's in the order of variants and
// runs; Ctrl-C ends it, where a program asks for that (interruption.h).
std::vector<Evaluated> evaluate(std::span<const Variant> variants, const EvaluateOptions& options);

// The same, for variants too large to be held at once: each is prepared, run and given up before the next one of its
// thread. Why one failed stands in `failed`, by variant; the others run all the same.
std::vector<Evaluated> evaluate_in_turn(std::span<const Variant> variants, const EvaluateOptions& options,
                                        std::vector<std::string>& failed);

}  // namespace a3sim
