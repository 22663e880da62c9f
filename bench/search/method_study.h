#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/search/search.h"

namespace a3sim {

// Gains of a method with each budget, over the best shipped order, in training.
struct MethodCurve {
  std::string method;
  std::vector<double> gains;               // one per budget: the mean over seeds
  double least = 0, most = 0;              // over seeds, with the whole budget
  std::vector<double> by_seed;             // one per seed, with the whole budget
  std::uint32_t no_worse_than_random = 0;  // number of seeds, with the whole budget
};
struct MethodStudy {
  std::vector<std::uint32_t> budgets;
  std::vector<MethodCurve> curves;  // one per method
};

// Searches with every method, with `seeds` seeds from options.seed on. All searches share their runs.
MethodStudy compare_methods(const SearchProblem& problem, const SearchOptions& options, std::uint32_t seeds,
                            CandidateRuns& runs);

}  // namespace a3sim
