#include <iostream>
#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/study/results/best_view.h"
#include "sim/study/results/page_view.h"
#include "sim/study/results/pivot_view.h"

namespace a3sim {
namespace {

constexpr std::size_t kTerminalRows = 40;

constexpr const char* kResultsExamples =
    "A median stands for the points that differ in further axes. Of objectives, '-hit_rate' is one where "
    "larger is "
    "better.\n"
    "Examples:\n"
    "  a3sim results sweep.db                                      what is in it, and what follows from it\n"
    "  a3sim results sweep.db --csv > sweep.csv                    all points, all metrics\n"
    "  a3sim results sweep.db --metric latency,sent --where ep=8 --where order=full,ratr\n"
    "  a3sim results sweep.db --rows ep --columns order --value latency --pass forward --markdown\n"
    "  a3sim results sweep.db --best 3 --per ep\n"
    "  a3sim results sweep.db --pareto latency,sent,-hit_rate --json front.json\n";

struct ResultsOptions {
  std::string file, sweep, pass = "total", value, rows, columns, per;
  std::vector<std::string> metrics, conditions, pareto;
  std::size_t best = 0;
  bool all = false, csv = false, markdown = false;
  JsonOption json;
};

void print_view(const ResultView& view, const ResultsOptions& options) {
  if (options.csv) {
    std::cout << view_csv(view);
  } else if (options.markdown) {
    std::cout << view_markdown(view);
  } else {
    print_result(view_text(view, options.all ? kAllRows : kTerminalRows), view_json(view), options.json);
  }
}

ResultView page(const SweepResults& sweep, const ResultsOptions& options) {
  const bool terminal = !options.csv && !options.markdown && !options.json.given;
  return sweep_page(sweep, options.pass,
                    options.metrics.empty() && terminal ? page_metrics(sweep, options.pass) : options.metrics,
                    options.value, options.all ? kAllRows : kTerminalRows);
}

ResultView chosen_view(const SweepResults& sweep, const ResultsOptions& options) {
  const std::string value = options.value.empty() ? "latency" : options.value;
  if (!options.rows.empty())
    return pivot_view(sweep, options.rows, options.columns, sweep.metric(options.pass, value));
  if (options.best > 0)
    return best_view(sweep, objective_of(sweep, options.pass, value), options.best, options.per);
  if (options.pareto.empty()) return page(sweep, options);
  std::vector<Objective> objectives;
  for (const std::string& name : options.pareto)
    objectives.push_back(objective_of(sweep, options.pass, name));
  return pareto_view(sweep, objectives);
}

void show_results(const ResultsOptions& options) {
  const std::vector<SweepResults> sweeps = read_results(options.file);
  const bool page_of_all = options.rows.empty() && options.best == 0 && options.pareto.empty() &&
                           options.metrics.empty() && options.conditions.empty() && !options.csv;
  if (options.sweep.empty() && sweeps.size() != 1 && page_of_all)
    return print_view(sweeps_view(sweeps), options);
  SweepResults sweep = choose_sweep(sweeps, options.sweep);
  for (const std::string& condition : options.conditions) sweep = where(sweep, condition);
  print_view(chosen_view(sweep, options), options);
}

class Results final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<ResultsOptions>();
    app.add_option("DB", options->file, "a database that 'a3sim sweep --db' wrote")->required();
    app.add_option("--sweep", options->sweep, "this one of its sweeps")->type_name("NAME");
    app.add_option("--pass", options->pass, "forward, backward, ...; total without it")->type_name("PASS");
    app.add_option("--metric", options->metrics, "columns of the table")
        ->type_name("NAME[,...]")
        ->delimiter(',');
    app.add_option("--where", options->conditions, "only these points; repeatable")
        ->type_name("AXIS=VALUE[,...]")
        ->expected(1)
        ->take_all();
    auto* const rows = app.add_option("--rows", options->rows, "a pivot: this axis down")->type_name("AXIS");
    auto* const columns =
        app.add_option("--columns", options->columns, "and this one across")->type_name("AXIS");
    rows->needs(columns);
    columns->needs(rows);
    app.add_option("--value", options->value,
                   "the metric of a pivot, of the best, of the conclusion; latency without it")
        ->type_name("NAME");
    auto* const best = app.add_option("--best", options->best, "the N best points by --value")
                           ->type_name("N")
                           ->check(CLI::PositiveNumber)
                           ->excludes(rows);
    app.add_option("--per", options->per, "the best of each value of this axis")
        ->type_name("AXIS")
        ->needs(best);
    app.add_option("--pareto", options->pareto, "points that none beats in these metrics")
        ->type_name("NAME,NAME[,...]")
        ->delimiter(',')
        ->excludes(rows)
        ->excludes(best);
    app.add_flag("--all", options->all, "all rows, however many");
    auto* const csv = app.add_flag("--csv", options->csv, "the table as CSV");
    auto* const markdown =
        app.add_flag("--markdown", options->markdown, "the table as Markdown")->excludes(csv);
    options->json.add_to(app);
    app.get_option("--json")->excludes(csv)->excludes(markdown);
    app.footer(kResultsExamples);
    app.callback([options] { show_results(*options); });
  }
};

const Commands::Entry kResultsCommand("results", "Tables, plots and conclusions of sweeps",
                                      std::make_unique<Results>());

}  // namespace
}  // namespace a3sim
