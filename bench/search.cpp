// Prints the gain that a search finds by budget, and its candidates per second of processor time, on a small layer and on the
// paper's at three sizes. The objective is `one`; on the paper's layer one rank stands for all. Arguments: the method,
// candidates, seeds, and names of cases; without them evolve, 100 candidates, three seeds, and all cases.
#include "sim/search/search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "sim/core/machine_memory.h"
#include "sim/core/statistics.h"
#include "sim/experiment/config/configs_folder.h"

namespace {

using namespace a3sim;

struct SearchCase {
  std::string name, config;
  std::vector<std::string> set;
};

const std::vector<SearchCase>& cases() {
  static const std::vector<SearchCase> kAll{
      {"small",
       "ep4",
       {"model.tokens=96", "model.hidden=256", "model.intermediate=128", "model.top_k=2",
        "model.experts_per_rank=3", "cut.chunk=16", "cut.task_rows=16", "experiment.pass=forward"}},
      {"ep4_forward", "ep4", {"experiment.simulate=alike", "experiment.pass=forward"}},
      {"ep8_forward", "ep8", {"experiment.simulate=alike", "experiment.pass=forward"}},
      {"ep8_backward", "ep8", {"experiment.simulate=alike", "experiment.pass=backward"}},
      {"ep4", "ep4", {"experiment.simulate=alike"}},
      {"ep8", "ep8", {"experiment.simulate=alike"}},
      {"ep16", "ep16", {"experiment.simulate=alike"}}};
  return kAll;
}

double after(const std::vector<double>& curve, std::size_t candidates) {
  return curve.empty() ? 0 : 1 - curve[std::min(candidates, curve.size()) - 1];
}

void measure(const SearchCase& of, const SearchOptions& options, std::uint32_t seeds) {
  const SearchProblem problem(
      load_experiment(configs_folder() / "experiments" / (of.config + ".yaml"), of.set),
      read_space(configs_folder() / "spaces" / "moe_ffn.yaml"));
  const std::vector<std::uint32_t> budgets{options.budget / 8, options.budget / 4, options.budget / 2,
                                           options.budget};
  std::vector<double> means(budgets.size());
  std::vector<std::string> by_seed;
  double candidates = 0;
  const std::clock_t start = std::clock();
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    SearchOptions of_seed = options;
    of_seed.seed = seed;
    CandidateRuns runs(problem, 1, nullptr);
    const SearchOutcome outcome = search(problem, of_seed, runs);
    candidates += outcome.proposed;
    for (std::size_t b = 0; b < budgets.size(); ++b)
      means[b] += 100 * after(outcome.curve, budgets[b]) / seeds;
    by_seed.push_back(fmt::format("{:.2f}", 100 * outcome.trained()));
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  fmt::print("{:<13} {:<7} {:>6.2f} {:>6.2f} {:>6.2f} {:>6.2f}   {:>6.1f}   {}\n", of.name, options.method,
             means[0], means[1], means[2], means[3], candidates / seconds, fmt::join(by_seed, " "));
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> given(arguments + 1, arguments + count);
  const auto number = [&](std::size_t at, int otherwise) {
    return static_cast<std::uint32_t>(given.size() > at ? std::max(8, std::atoi(given[at].c_str()))
                                                        : otherwise);
  };
  keep_freed_memory();
  SearchOptions options;
  options.objective = SearchObjective::kOne;
  if (!given.empty()) options.method = given[0];
  options.budget = number(1, 100);
  const std::uint32_t seeds =
      given.size() > 2 ? static_cast<std::uint32_t>(std::max(1, std::atoi(given[2].c_str()))) : 3;
  fmt::print(
      "gain in % by budget: means of {} seeds after an eighth, a quarter, a half of {} candidates, and all\n",
      seeds, options.budget);
  fmt::print("{:<13} {:<7} {:>6} {:>6} {:>6} {:>6}   {:>6}   {}\n", "case", "method", "1/8", "1/4", "1/2",
             "all", "cand/s", "each seed");
  for (const SearchCase& one : cases())
    if (given.size() <= 3 || std::ranges::find(given.begin() + 3, given.end(), one.name) != given.end())
      measure(one, options, seeds);
  return EXIT_SUCCESS;
}
