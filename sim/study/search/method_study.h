#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/study/search/search.h"
#include "traces/report/report.h"

namespace a3sim {

// What a method finds with each budget: gains over the best shipped order, in the training.
struct MethodCurve {
  std::string method;
  std::vector<double> gains;               // by budget: the mean of the seeds
  double least = 0, most = 0;              // of the seeds, with the whole budget
  std::vector<double> by_seed;             // with the whole budget
  std::uint32_t no_worse_than_random = 0;  // seeds, with the whole budget
};
struct MethodStudy {
  std::vector<std::uint32_t> budgets;
  std::vector<MethodCurve> curves;  // one a method
};

// Searches by every method, with seeds from options.seed on. All of them share what has run.
MethodStudy compare_methods(const SearchProblem& problem, const SearchOptions& options, std::uint32_t seeds,
                            CandidateRuns& runs);

Report method_report(const SearchProblem& problem, const MethodStudy& study);
nlohmann::ordered_json method_json(const SearchProblem& problem, const MethodStudy& study);

}  // namespace a3sim
