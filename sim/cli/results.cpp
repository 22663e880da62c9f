#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/sweep/results/baseline.h"
#include "sim/sweep/results/best_view.h"
#include "sim/sweep/results/effects_report.h"
#include "sim/sweep/results/page_view.h"
#include "sim/sweep/results/pivot_view.h"
#include "sim/sweep/results/points_view.h"
#include "sim/sweep/results/step_layouts.h"

namespace a3sim {
namespace {

constexpr std::size_t kTerminalRows = 40;

struct ResultsOptions {
  std::string file, sweep, pass = "total", value, rows, columns, per, baseline;
  std::vector<std::string> metrics, conditions, pareto;
  std::size_t best = 0;
  bool all = false, markdown = false, medians = false;
  JsonOption json;
};

nlohmann::ordered_json json_of(const Report& report) {
  nlohmann::ordered_json json{{"schema_version", 4}};
  json.update(report.json());
  return json;
}

void print_report(const Report& report, const ResultsOptions& options) {
  if (options.markdown) {
    std::cout << report.markdown();
  } else {
    print_result(options.all ? report.text() : report.text(kTerminalRows), json_of(report),
                 options.json.csv ? report.table(kResultRows).csv() : "", options.json);
  }
}

Report page(const SweepResults& sweep, const ResultsOptions& options) {
  const bool terminal = !options.json.csv && !options.markdown && !options.json.given;
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

// Returns a table, a ranking or a front.
Report part_view(const SweepResults& sweep, const ResultsOptions& options) {
  if (!options.rows.empty()) {
    const std::string value = options.baseline.empty() ? value_of(options) : kSpeedUp;
    const ResultMetric& metric = sweep.metric(options.pass, value);
    if (!options.medians) refuse_unlike_points(sweep, options.rows, options.columns, metric);
    return pivot_view(sweep, options.rows, options.columns, metric);
  }
  if (options.best > 0) {
    const Objective objective = objective_of(sweep, options.pass, value_of(options));
    return best_view(sweep, objective, options.best, options.per, options.metrics);
  }
  return pareto_view(sweep, objectives_of(sweep, options));
}

// Says what the lead of the fastest layout is worth, wherever times of training steps are looked at.
void add_lead(const SweepResults& sweep, const ResultsOptions& options, Report& report) {
  std::vector<Objective> asked = objectives_of(sweep, options);
  if (asked.empty() && !options.value.empty())
    asked.push_back(objective_of(sweep, options.pass, options.value));
  const auto of_time = std::ranges::find_if(asked, follows_time);
  if (!asked.empty() && of_time == asked.end()) return;
  const auto best = asked.empty() ? std::nullopt : std::optional(*of_time);
  if (const auto lead = lead_of_best(sweep, options.pass, options.per, best)) add_layout_lead(*lead, report);
}

Report chosen_view(const SweepResults& sweep, const ResultsOptions& options) {
  const bool whole = options.rows.empty() && options.best == 0 && options.pareto.empty();
  Report report = whole ? page(sweep, options) : part_view(sweep, options);
  add_lead(sweep, options, report);
  if (whole) return report;
  if (options.best > 0)
    add_effects(sweep, options.pass, objective_of(sweep, options.pass, value_of(options)).metric->name,
                report.part("effects"));
  if (const std::string missing = missing_text(sweep); !missing.empty()) report.say(missing, "missing");
  return report;
}

// Adds the speed-up to the metrics, or to the latency if none were asked for.
ResultsOptions with_speed_up(ResultsOptions options) {
  if (options.metrics.empty() && options.best == 0) options.metrics = {value_of(options)};
  options.metrics.emplace_back(kSpeedUp);
  return options;
}

void show_results(const ResultsOptions& options) {
  const std::vector<SweepResults> sweeps = read_results(options.file);
  const bool page_of_all = options.rows.empty() && options.best == 0 && options.pareto.empty() &&
                           options.metrics.empty() && options.conditions.empty() && !options.json.csv &&
                           options.baseline.empty();
  if (options.sweep.empty() && sweeps.size() != 1 && page_of_all)
    return print_report(sweeps_view(sweeps), options);
  SweepResults sweep = choose_sweep(sweeps, options.sweep);
  for (const std::string& condition : options.conditions) sweep = where(sweep, condition);
  if (options.baseline.empty()) return print_report(chosen_view(sweep, options), options);
  const std::string meaning = add_speed_ups(sweep, options.pass, options.baseline, value_of(options));
  Report report = chosen_view(sweep, with_speed_up(options));
  report.fact("baseline", options.baseline).say(meaning + "\n");
  print_report(report, options);
}

void add_views(CLI::App& app, ResultsOptions& options) {
  auto* const rows = app.add_option("--rows", options.rows, "a pivot: this axis down")->type_name("AXIS");
  auto* const columns =
      app.add_option("--columns", options.columns, "and this one across")->type_name("AXIS");
  rows->needs(columns);
  columns->needs(rows);
  app.add_option("--value", options.value,
                 "the metric of a pivot, of the best points, of what matters most (default: latency)")
      ->type_name("NAME");
  app.add_flag("--median", options.medians,
               "cells are medians also over points that differ by more than 10 %")
      ->needs(rows);
  app.add_option("--baseline", options.baseline,
                 "a column of speed-ups by --value over the points with this value; in a pivot, the cells")
      ->type_name("AXIS=VALUE");
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

void add_results_options(CLI::App& app, ResultsOptions& options) {
  app.add_option("DB", options.file, "a database that 'a3sim sweep --db' wrote")->required();
  app.add_option("--sweep", options.sweep, "this one of its sweeps")->type_name("NAME");
  app.add_option("--pass", options.pass, "forward, backward, ... (default: total)")->type_name("PASS");
  app.add_option("--metric", options.metrics, "columns of the table")
      ->type_name("NAME[,...]")
      ->delimiter(',')
      ->allow_extra_args(false);
  repeatable(app.add_option("--where", options.conditions, "only these points; repeatable"),
             "AXIS=VALUE[,...]");
  add_views(app, options);
  app.add_flag("--all", options.all, "all rows, however many");
  options.json.add_to(app);
  app.add_flag("--markdown", options.markdown, "the table as Markdown")
      ->excludes("--json")
      ->excludes("--csv");
}

A3SIM_REGISTER(Command, "results", "Tables of sweeps, and which axis matters most",
               Command(CommandGroup::kSimulate, add_results_options, show_results));

}  // namespace
}  // namespace a3sim
