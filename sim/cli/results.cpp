#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/core/atomic_file.h"
#include "sim/core/error.h"
#include "sim/study/results/best_view.h"
#include "sim/study/results/figures.h"
#include "sim/study/results/page_view.h"
#include "sim/study/results/pivot_view.h"
#include "sim/study/results/points_view.h"

namespace a3sim {
namespace {

constexpr std::size_t kTerminalRows = 40;

struct ResultsOptions {
  std::string file, sweep, pass = "total", value, rows, columns, per;
  std::string svg, plot, x, y = "latency", series;
  std::vector<std::string> metrics, conditions, pareto;
  std::size_t best = 0;
  bool all = false, csv = false, markdown = false;
  JsonOption json;
};

nlohmann::ordered_json json_of(const Report& report) {
  nlohmann::ordered_json json{{"schema_version", 2}};
  json.update(report.json());
  return json;
}

void print_report(const Report& report, const ResultsOptions& options) {
  if (options.csv) {
    std::cout << report.table(kResultRows).csv();
  } else if (options.markdown) {
    std::cout << report.markdown();
  } else {
    print_result(options.all ? report.text() : report.text(kTerminalRows), json_of(report), options.json);
  }
}

Report page(const SweepResults& sweep, const ResultsOptions& options) {
  const bool terminal = !options.csv && !options.markdown && !options.json.given;
  return sweep_page(sweep, options.pass,
                    options.metrics.empty() && terminal ? page_metrics(sweep, options.pass) : options.metrics,
                    options.value, options.all ? sweep.points.size() : kTerminalRows);
}

std::string value_of(const ResultsOptions& options) {
  return options.value.empty() ? "latency" : options.value;
}

std::vector<Objective> objectives_of(const SweepResults& sweep, const ResultsOptions& options) {
  std::vector<Objective> objectives;
  for (const std::string& name : options.pareto)
    objectives.push_back(objective_of(sweep, options.pass, name));
  return objectives;
}

Report chosen_view(const SweepResults& sweep, const ResultsOptions& options) {
  if (!options.rows.empty())
    return pivot_view(sweep, options.rows, options.columns, sweep.metric(options.pass, value_of(options)));
  if (options.best > 0) {
    const Objective objective = objective_of(sweep, options.pass, value_of(options));
    return best_view(sweep, objective, options.best, options.per);
  }
  if (!options.pareto.empty()) return pareto_view(sweep, objectives_of(sweep, options));
  return page(sweep, options);
}

// A plot's options must be there.
void need(const std::string& value, const std::string& plot, const std::string& option) {
  if (value.empty()) throw InputError(fmt::format("--plot {} needs {}", plot, option));
}

Figure figure_of(const SweepResults& sweep, const ResultsOptions& options) {
  if (options.plot == "pareto") {
    if (options.pareto.empty()) throw InputError("--plot pareto needs --pareto, like latency,sent");
    return pareto_figure(sweep, objectives_of(sweep, options), options.series);
  }
  if (options.plot == "heat") {
    need(options.rows, "heat", "--rows and --columns");
    return heat_figure(sweep, sweep.metric(options.pass, value_of(options)), options.rows, options.columns);
  }
  need(options.x, "lines", "--x");
  return lines_figure(sweep, sweep.metric(options.pass, options.y), options.x, options.series);
}

// A name that was meant for something else is not overwritten.
void write_plot(const std::string& file, const std::string& plot) {
  std::error_code error;
  if (std::filesystem::is_regular_file(file, error)) {
    const int first = std::ifstream(file).get();
    if (first != '<' && first != std::ifstream::traits_type::eof())
      throw InputError(file + ": exists and is no SVG, so --svg does not overwrite it");
  }
  write_file_atomically(file, plot);
}

void show_results(const ResultsOptions& options) {
  const std::vector<SweepResults> sweeps = read_results(options.file);
  const bool page_of_all = options.rows.empty() && options.best == 0 && options.pareto.empty() &&
                           options.metrics.empty() && options.conditions.empty() && !options.csv &&
                           options.svg.empty();
  if (options.sweep.empty() && sweeps.size() != 1 && page_of_all)
    return print_report(sweeps_view(sweeps), options);
  SweepResults sweep = choose_sweep(sweeps, options.sweep);
  for (const std::string& condition : options.conditions) sweep = where(sweep, condition);
  if (options.svg.empty()) return print_report(chosen_view(sweep, options), options);
  write_plot(options.svg, svg_of(figure_of(sweep, options)));
}

void add_views(CLI::App& app, ResultsOptions& options) {
  auto* const rows = app.add_option("--rows", options.rows, "a pivot: this axis down")->type_name("AXIS");
  auto* const columns =
      app.add_option("--columns", options.columns, "and this one across")->type_name("AXIS");
  rows->needs(columns);
  columns->needs(rows);
  app.add_option("--value", options.value,
                 "the metric of a pivot, of the best, of the conclusion; latency without it")
      ->type_name("NAME");
  auto* const best = app.add_option("--best", options.best, "the N best points by --value")
                         ->type_name("N")
                         ->check(CLI::Range(1, 1000000))
                         ->excludes(rows);
  app.add_option("--per", options.per, "the best of each value of this axis")->type_name("AXIS")->needs(best);
  app.add_option("--pareto", options.pareto, "points that none beats in these metrics")
      ->type_name("NAME,NAME[,...]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes(rows)
      ->excludes(best);
}

void add_plots(CLI::App& app, ResultsOptions& options) {
  auto* const svg = app.add_option("--svg", options.svg, "a plot, into this file")
                        ->type_name("FILE")
                        ->excludes(app.get_option("--csv"))
                        ->excludes(app.get_option("--markdown"));
  auto* const plot =
      app.add_option("--plot", options.plot,
                     "lines: --y over --x; heat: --value over --rows and --columns; pareto: --pareto")
          ->check(CLI::IsMember({"lines", "heat", "pareto"}))
          ->needs(svg);
  svg->needs(plot)->excludes(app.get_option("--json"));
  app.add_option("--x", options.x, "the axis below lines")->type_name("AXIS")->needs(svg);
  app.add_option("--y", options.y, "the metric that lines show; latency without it")
      ->type_name("NAME")
      ->needs(svg);
  app.add_option("--series", options.series, "a line, or a colour, for each value of this axis")
      ->type_name("AXIS")
      ->needs(svg);
}

void add_results_options(CLI::App& app, ResultsOptions& options) {
  app.add_option("DB", options.file, "a database that 'a3sim sweep --db' wrote")->required();
  app.add_option("--sweep", options.sweep, "this one of its sweeps")->type_name("NAME");
  app.add_option("--pass", options.pass, "forward, backward, ...; total without it")->type_name("PASS");
  app.add_option("--metric", options.metrics, "columns of the table")
      ->type_name("NAME[,...]")
      ->delimiter(',')
      ->allow_extra_args(false);
  repeatable(app.add_option("--where", options.conditions, "only these points; repeatable"),
             "AXIS=VALUE[,...]");
  add_views(app, options);
  app.add_flag("--all", options.all, "all rows, however many");
  auto* const csv = app.add_flag("--csv", options.csv, "the table as CSV");
  auto* const markdown = app.add_flag("--markdown", options.markdown, "the table as Markdown")->excludes(csv);
  options.json.add_to(app);
  app.get_option("--json")->excludes(csv)->excludes(markdown);
  add_plots(app, options);
}

A3SIM_REGISTER(Command, "results", "Tables, plots and conclusions of sweeps",
               Command(add_results_options, show_results));

}  // namespace
}  // namespace a3sim
