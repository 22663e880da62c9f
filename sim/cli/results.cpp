#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/study/results/points_view.h"

namespace a3sim {
namespace {

constexpr std::size_t kTerminalRows = 40;

constexpr const char* kResultsExamples =
    "Examples:\n"
    "  a3sim results sweep.db                                      what is in it, and what follows from it\n"
    "  a3sim results sweep.db --metric latency,sent --where ep=8   a table of points\n"
    "  a3sim results sweep.db --csv > sweep.csv                    all points, all metrics\n";

struct ResultsOptions {
  std::string file, sweep, pass = "total";
  std::vector<std::string> metrics, conditions;
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

void show_results(const ResultsOptions& options) {
  const std::vector<SweepResults> sweeps = read_results(options.file);
  SweepResults sweep = choose_sweep(sweeps, options.sweep);
  for (const std::string& condition : options.conditions) sweep = where(sweep, condition);
  ResultView view = points_view(sweep, options.pass, options.metrics);
  view.before = counts_line(sweep);
  view.after = failures_text(sweep, options.all ? kAllRows : kTerminalRows);
  print_view(view, options);
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
