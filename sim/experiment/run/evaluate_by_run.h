#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/experiment/run/evaluate.h"

// As evaluate() does, for callers that want to know what has run before all has.
namespace a3sim {

// The latencies of all variants in the runs that have ended, and the number of these runs.
using RunsSink = std::function<void(std::span<const Evaluated> so_far, std::uint32_t runs)>;

// Run by run: each variant once, then each a second time. `seen` is called after every run, so that something is known
// early and what an interruption leaves is whole.
std::vector<Evaluated> evaluate_by_run(std::span<const Variant> variants, const EvaluateOptions& options,
                                       const RunsSink& seen);

}  // namespace a3sim
