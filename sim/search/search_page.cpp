#include "sim/search/search_page.h"

#include <fmt/format.h>

#include "sim/experiment/config/order_file.h"
#include "sim/result/run_subtitle.h"
#include "sim/result/traced_passes.h"
#include "sim/search/search_json.h"
#include "traces/report/page/run_section.h"

namespace a3sim {
namespace {

// Adds timelines of the shipped order and, below it, of the found one.
void add_search_timelines(Page& page, const SearchProblem& problem, const SearchOptions& options,
                          const SearchFindings& findings, const CandidateRuns& runs) {
  const SearchOutcome& outcome = findings.outcome;
  const SearchScenario scenario{"as configured", {}, JitterOptions::none()};
  const Experiment before = runs.start_experiment(outcome.reference, scenario);
  Experiment after = runs.experiment(outcome.winner().candidate, scenario);
  if (findings.lists.gained()) after = with_order(std::move(after), findings.lists.listed.order);
  const std::vector<TracedPass> of_before = traced_passes(before, options.threads),
                                of_after = traced_passes(after, options.threads);
  const std::string shipped = outcome.starts[outcome.reference].name;
  const std::uint32_t experts = problem.experiment().shape.experts_per_rank;
  const std::vector<NamedRun> shown{{fmt::format("{} (best shipped)", shipped), of_before, experts},
                                    {"found", of_after, experts}};
  add_runs(page, shown);
}

}  // namespace

Page search_page(const SearchProblem& problem, const SearchOptions& options, const SearchFindings& findings,
                 const CandidateRuns& runs) {
  Page page(problem.experiment().name,
            fmt::format("search for a faster order\n{}", subtitle_of(problem.experiment())));
  page.add({{"kind", "search"}, {"title", "Search"}, {"result", search_json(problem, options, findings)}});
  if (findings.claims() && !problem.experiment().work->why_no_programs().empty())
    add_search_timelines(page, problem, options, findings, runs);
  return page;
}

}  // namespace a3sim
