#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/study/data/carried_run.h"
#include "sim/study/data/data_case.h"

namespace a3sim {

// A case, compiled, with its inputs drawn, what they should give, and what they do give.
class DataCheck {
 public:
  struct Pass {
    std::string name;
    Oracle oracle;
    Schedule schedule;
    Tensors given, expected;
    std::vector<TensorComparison> outcome;  // of the run without delays
    Duration makespan{};                    // of the same
  };

  // Compiles all passes and runs each without delays; a backward pass reads what the forward run kept. Throws
  // as compiling and running do.
  DataCheck(DataCase of, std::uint64_t seed);

  const DataCase& of() const { return case_; }
  std::span<const Pass> passes() const { return passes_; }

  // Runs a pass again with other delays, or with a schedule that was changed: one entry for each tensor that
  // has an expected value, by name.
  std::vector<TensorComparison> run(const Pass& pass, const Schedule& schedule, const Delays& delays) const;

 private:
  void give(Pass& pass, const Graph& graph);
  Duration carry(CarriedRun& run, const Delays& delays) const;
  std::vector<TensorComparison> compare_all(const Pass& pass, const CarriedRun& run) const;

  DataCase case_;
  std::uint64_t seed_;
  RoutingCounts counts_;
  std::vector<std::vector<SentRow>> sent_;
  Tensors known_;  // drawn, or kept from an earlier pass
  std::vector<Pass> passes_;
};

// Whether all of them are right.
bool right(std::span<const TensorComparison> outcome);

}  // namespace a3sim
