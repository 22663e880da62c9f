#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/experiment/evaluate.h"

// As evaluate() does, for callers that want to know what has run before all has.
namespace a3sim {

// What all variants came to in the runs that have ended, and how many of them these are.
using SeenRuns = std::function<void(std::span<const Evaluated> so_far, std::uint32_t runs)>;

// Run by run: each variant once, then each a second time. `seen` is called after every run, so that something is known
// early and what an interruption leaves is whole.
std::vector<Evaluated> evaluate_by_run(std::span<const Variant> variants, const EvaluateOptions& options,
                                       const SeenRuns& seen);

// One variant that evaluate_in_turn() has run, by its number.
using SeenVariant = std::function<void(std::size_t variant, const Evaluated&)>;

// `seen` is told of each variant that has ended, one at a time. `unchanged` has the outcomes of a variant without any
// change, or is null. A variant whose first run equals its first run, to the picosecond, gets its outcomes and is not run
// again.
std::vector<Evaluated> evaluate_in_turn(std::span<const Variant> variants, const EvaluateOptions& options,
                                        std::vector<std::string>& failed, const SeenVariant& seen,
                                        const Evaluated* unchanged = nullptr);

}  // namespace a3sim
