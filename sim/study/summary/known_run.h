#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/diagnosis/rules/advice.h"
#include "sim/study/summary/saved_run.h"
#include "traces/analysis/explanation.h"

namespace a3sim {

// A pass of a saved run with what is known of it; `explained` and `advice` need its tasks.
struct KnownPass {
  const TracedPass* pass = nullptr;
  Duration bound{};     // the largest lower bound; zero: none was written
  std::string binding;  // which it is: cube, vector, HBM, link, path
  std::optional<Explanation> explained;
  std::optional<Advice> advice;

  Duration latency() const { return pass->trace.latency(); }
};

// A saved run as its page shows it.
struct KnownRun {
  const SavedRun* run = nullptr;
  std::string name;  // no other run of the page has it
  std::vector<KnownPass> passes;
  std::uint32_t experts_per_rank = 0;  // 0: not written

  bool traced() const { return run->sums.empty(); }
  Duration total() const;
};

// Reads the bounds beside a run that read_run has read, explains its passes and asks the rules about them. The
// run must outlive the result. Throws InputError where result.json is not what `run -o` writes.
KnownRun know(const SavedRun& run, std::string name);

}  // namespace a3sim
