#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <spdlog/stopwatch.h>

#include <nlohmann/json.hpp>

#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/known_so_far.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/run_progress.h"
#include "sim/core/atomic_file.h"
#include "sim/core/machine_memory.h"
#include "sim/search/search_json.h"
#include "sim/search/search_overlay.h"
#include "sim/search/search_page.h"
#include "sim/search/search_report.h"
#include "sim/search/search_store.h"
#include "version.h"

namespace a3sim {
namespace {

struct SearchCommandOptions {
  ConfigOption config;
  std::string space, objective = "mean", output, page, database, over;
  SearchOptions search;
  ThreadsOption threads;
  JsonOption json;
};

std::vector<std::string> objective_names() {
  const auto names = names_of(SearchObjective());
  return {names.begin(), names.end()};
}

// Returns the comment at the top of the file of the order that was found.
std::string title_of(const SearchProblem& problem, const SearchCommandOptions& options,
                     const SearchFindings& findings) {
  const std::string search =
      fmt::format("'a3sim search' for {} (seed {}, {} candidates, objective {})", problem.experiment().name,
                  options.search.seed, findings.outcome.proposed, options.objective);
  const std::string headline = search_headline(problem, findings);
  return fmt::format("{}{}.\n{}\n", findings.claims() ? "Found by " : "The best shipped order, as said by ",
                     search, headline.substr(0, headline.find('\n')));
}

// Writes the order that was found, and its lists, if any, beside it.
void write_order(const SearchProblem& problem, const SearchCommandOptions& options,
                 SearchFindings& findings) {
  const std::filesystem::path output = options.output;
  if (findings.lists.gained() && findings.claims()) {
    findings.lists.file = output.stem().string() + ".lists.csv";
    write_file_atomically(output.parent_path() / findings.lists.file, findings.lists.csv);
  }
  write_file_atomically(output,
                        overlay_text(problem, findings.stated, options.config.file, options.config.set,
                                     title_of(problem, options, findings), findings.lists.file));
}

// The orders to start from, each with how much longer than the best one it takes.
std::string starts_text(const SearchOutcome& outcome) {
  Table table({Column::words("order to start from"), Column::signed_percent("to best", "", 2)});
  const double best = outcome.starts[outcome.reference].score;
  for (const StartScore& start : outcome.starts)
    if (start.refused.empty()) table.add({start.name, start.score / best - 1});
  return table.text();
}

// Shows what a search knows as it grows: the orders to start from, and a line whenever something faster is found.
class GrowingSearch {
 public:
  GrowingSearch(const SearchProblem& problem, const SearchOptions& options, KnownSoFar& known)
      : problem_(problem), budget_(options.budget), known_(known) {}

  void take(const SearchOutcome& so_far) {
    const double best = *so_far.winner().scores.back();
    std::string lines = so_far.proposed == 0 ? starts_text(so_far) : "";
    if (so_far.proposed > 0 && best < best_)
      lines = fmt::format("{:>5} candidates: {:.2f} % faster than {} in training, not verified\n",
                          so_far.proposed, 100 * (1 - best), so_far.starts[so_far.reference].name);
    best_ = std::min(best, best_);
    known_.add(lines, fmt::format("{} of {} candidates", so_far.proposed, budget_), best_order(so_far));
  }

  // Shows what was found before it is judged.
  void take_found(const SearchOutcome& found) {
    if (found.winner().number == 0) return;
    spdlog::info("found, not verified yet; runs with all ranks follow:\n{}{}",
                 problem_.order_text(found.winner().candidate),
                 fmt::join(problem_.settings(found.winner().candidate), "\n"));
  }

 private:
  std::string best_order(const SearchOutcome& so_far) const {
    const Candidate& best = so_far.winner().candidate;
    return fmt::format("\nthe best of them so far:\n{}{}", problem_.order_text(best),
                       fmt::join(problem_.settings(best), "\n")) +
           '\n';
  }

  const SearchProblem& problem_;
  std::uint32_t budget_;
  KnownSoFar& known_;
  double best_ = 1;
};

void run(const SearchCommandOptions& options) {
  keep_freed_memory();  // for the next run
  Experiment experiment = options.config.load();
  refuse_beyond_memory(experiment);
  const std::filesystem::path space =
      options.space.empty() ? default_space(experiment) : std::filesystem::path(options.space);
  const SearchProblem problem(std::move(experiment), read_space(space));
  SearchOptions how = options.search;
  how.threads = options.threads.count;
  if (!options.over.empty()) how.over = scenarios_over(options.over);
  const std::vector<std::string> names = objective_names();
  how.objective = static_cast<SearchObjective>(std::ranges::find(names, options.objective) - names.begin());
  std::optional<SearchStore> store;
  if (!options.database.empty()) store.emplace(options.database);
  CandidateRuns runs(problem, how.threads, store ? &*store : nullptr);
  KnownSoFar known(options.json);
  GrowingSearch growing(problem, how, known);
  how.seen = [&](const SearchOutcome& so_far) { growing.take(so_far); };
  how.found = [&](const SearchOutcome& found) { growing.take_found(found); };
  const spdlog::stopwatch watch;
  SearchFindings findings = known.unless_interrupted([&] { return search_and_explain(problem, how, runs); });
  spdlog::info("{} candidates in {:.1f} s, judged in {:.1f} s: {:.1f} candidates per second",
               findings.outcome.proposed, findings.outcome.seconds,
               watch.elapsed().count() - findings.outcome.seconds,
               findings.outcome.proposed / watch.elapsed().count());
  if (!options.output.empty()) write_order(problem, options, findings);
  if (!options.page.empty())
    write_file_atomically(options.page,
                          search_page(problem, how, findings, runs).html(fmt::format("a3sim {}", kVersion)));
  print_result(search_report(problem, how, findings).text(), search_json(problem, how, findings),
               options.json);
}

void add_search_options(CLI::App& app, SearchCommandOptions& options) {
  options.config.add_to(app);
  take_shipped_too(app.add_option("--space", options.space,
                                  "what may change (YAML), or a shipped one (default: that of the workload)")
                       ->type_name("FILE"),
                   "spaces");
  app.add_option("--budget", options.search.budget, "number of candidates (default: 300)")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--seed", options.search.seed, "seed of what is drawn (default: 1)");
  app.add_option("--objective", options.objective,
                 "over training scenarios: mean (default), worst, p90; one: the configuration alone")
      ->check(CLI::IsMember(objective_names()));
  app.add_option("--over", options.over,
                 "trains one order for these values of a key in place of the space's scenarios: "
                 "model.tokens=512,2048")
      ->type_name("KEY=VALUES");
  app.add_option(
      "--moves", options.search.moves,
      "moves of runs of tasks that are tried in the lists that the order found makes, for the objective "
      "'one' (default: none)");
  app.add_option("--db", options.database,
                 "database of sweeps that takes what ran; the same command goes on where it was ended")
      ->type_name("FILE");
  app.add_option("-o", options.output, "writes the order found there, as an experiment to run")
      ->type_name("FILE");
  app.add_option("--page", options.page,
                 "writes a page to look at: what was found, and timelines of the best shipped order and of "
                 "the one found")
      ->type_name("FILE.html");
  options.threads.add_to(app);
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "search", "Find a better order, and say why it is better",
               Command(CommandGroup::kPrototype, add_search_options, run));

}  // namespace
}  // namespace a3sim
