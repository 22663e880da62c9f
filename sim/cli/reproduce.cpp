#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "sim/cli/command.h"
#include "sim/cli/known_so_far.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/core/atomic_file.h"
#include "sim/core/error.h"
#include "sim/published/case_timelines.h"
#include "sim/published/direction_turns.h"
#include "sim/published/directions.h"
#include "sim/published/fit/intervals.h"
#include "sim/published/formula_verdict.h"
#include "sim/published/method_signs.h"
#include "sim/published/overview.h"
#include "sim/published/published_figure.h"
#include "sim/published/simplest_formula.h"
#include "version.h"

namespace a3sim {
namespace {

struct ReproduceOptions {
  std::vector<std::string> names, set;
  std::string directory;
  bool sensitivity = false, check = false, variants = false, brief = false, all = false;
  SensitivityOptions draws;
  ThreadsOption threads;
  JsonOption json;
};

std::string help_with_tables() {
  std::string tables;
  const std::filesystem::path configs = configs_folder();
  std::map<std::string, std::vector<std::string>> groups;
  const std::vector<std::string> names = published_tables(configs);
  const std::size_t width = std::ranges::max(names, {}, &std::string::size).size();
  for (const std::string& name : names) {
    const PublishedTable table = read_published_table(configs, name);
    tables += fmt::format("  {:<{}} {}\n", name, width, table.description);
    if (!table.group.empty()) groups[table.group].push_back(name);
  }
  std::string together = "Groups of experiments:\n";
  for (const auto& [group, members] : groups)
    together += fmt::format("  {:<{}} {}\n", group, width, fmt::join(members, ", "));
  return help_of("reproduce", tables) + (groups.empty() ? "" : together) + '\n' +
         SimplestFormula::read(configs).rule;
}

// Returns the files whose ranges of values determine the error bars.
std::vector<std::filesystem::path> files_of(const Scenario& scenario) {
  return fitted_files(scenario.configs, scenario.configs / "hardware" / "a3.yaml");
}

// Returns the options by which the error bars of a table are computed.
SensitivityOptions bars_of(const PublishedTable& table, SensitivityOptions options) {
  constexpr std::uint32_t kFew = 20;
  if (table.is_long) {
    options.draws = std::min(options.draws, kFew);
    options.ends = false;
  }
  return options;
}

bool has_bar(const PublishedTable& table, const nlohmann::ordered_json& coordinates) {
  return std::ranges::all_of(table.barred.items(), [&](const auto& item) {
    return coordinates.contains(item.key()) && coordinates[item.key()] == item.value();
  });
}

// The cases and the points that error bars are of.
CaseSelection barred_cases(const PublishedTable& table) {
  CaseSelection wanted;
  if (table.barred.is_null()) return wanted;
  wanted.cases.emplace();
  for (const PublishedCase& one : table.cases)
    if (has_bar(table, one.coordinates)) wanted.cases->push_back(one.coordinates);
  for (const PublishedKernel& one : table.kernels)
    if (has_bar(table, one.coordinates)) wanted.cases->push_back(one.coordinates);
  return wanted;
}
std::vector<Point> barred_points(const PublishedTable& table, std::vector<Point> points) {
  std::erase_if(points, [&](const Point& point) { return !has_bar(table, point.coordinates); });
  return points;
}

// One table with its figures, in every form.
struct Shown {
  PublishedTable table;
  std::string heading;
  std::vector<Comparison> comparisons;
  Compared compared;  // without variants
  std::string text, markdown, csv;
  nlohmann::ordered_json points;
  // Its error bars were never computed, or they belong to other predictions.
  bool barless = false, stale = false;
};

Shown shown_of(const PublishedTable& table, const ReproduceOptions& options, const Scenario& scenario,
               const Intervals& intervals, const PointsSink& seen) {
  const bool variants =
      options.variants || (!options.brief && (options.json.given || !options.directory.empty()));
  const Predictions result = predict(table, scenario, {.variants = variants, .seen = seen});
  Shown page;
  const std::string& name = table.name;
  std::vector<Comparison> comparisons = compare(table, result.points);
  const std::string key =
      interval_key(barred_points(table, result.points), files_of(scenario), bars_of(table, {}));
  page.barless = !intervals.has(name);
  page.stale = !page.barless && !intervals.fits(name, key);
  ErrorBars bars;
  if (intervals.fits(name, key))
    bars = [&intervals, name](const Point& point) { return intervals.bar(name, point); };
  page.points = comparisons_json(name, comparisons, bars);
  const Table whole = comparison_table(comparisons, bars);
  const std::string verdict = verdict_of(comparisons).text(table.lacks);
  std::string fastest = fastest_series(table, comparisons).text;
  if (!fastest.empty()) fastest += '\n';
  const std::string below = verdict + signs_text(table, comparisons) + result.heading,
                    heading = fastest + below;
  std::string notes =
      directions_text(table, comparisons) + turns_text(direction_turns(table, comparisons, scenario));
  if (!notes.empty() && !table.notes.empty()) notes += '\n';
  notes += table.notes;
  if (verdict_of(comparisons).compared.points > 0)
    notes += (notes.empty() ? "" : "\n") + SimplestFormula::read(scenario.configs).rule;
  page.markdown = fmt::format("# {}\n\n{}\n{}\n{}", name, heading, whole.markdown(), notes);
  page.csv = whole.csv();
  std::vector<Comparison> defaults = comparisons;
  std::erase_if(defaults, [](const auto& c) { return !c.point.variant.empty(); });
  const Table shown = options.variants ? whole : comparison_table(defaults, bars);
  page.text = fmt::format("{}\n{}", heading, shown.text());
  if (!notes.empty()) page.text += '\n' + notes;
  page.compared = {name, std::move(defaults), bars};
  page.table = table;
  page.heading = below;  // a page has said before which is the fastest
  page.comparisons = std::move(comparisons);
  return page;
}

constexpr const char* kTrust =
    "How far to trust it (docs/trust.md; every point: configs/reference/errors.md):\n";

// How far predictions lie from what was published, in words.
std::string summary_of(const std::vector<Comparison>& comparisons) {
  const FormulaVerdict verdict = verdict_of(comparisons);
  if (verdict.predicted.points == 0) return fmt::format("{} predictions", comparisons.size());
  return fmt::format("{} published, mean error {}, largest {}", verdict.predicted.points,
                     in_percent(verdict.predicted.mean()), in_percent(verdict.predicted.largest));
}

// A line for each experiment.
std::string overview(const std::vector<Shown>& pages) {
  std::vector<Compared> all;
  for (const Shown& page : pages) all.push_back(page.compared);
  return trust_table(all).text() +
         "\n'a3sim reproduce NAME' prints an experiment, 'a3sim reproduce --brief' the main table.\n";
}

// Returns a page of at most 40 lines.
std::string brief(const std::vector<Shown>& pages, const ReproduceOptions& options,
                  const Scenario& scenario) {
  std::vector<Compared> all;
  for (const Shown& page : pages) all.push_back(page.compared);
  std::string text;
  if (const Table table = main_table(all); table.rows_seen() > 0) {
    text =
        "MoE-FFN of HyperParallel-MoE (arXiv 2605.23764) on Ascend A3, Dispatch to Combine: predicted "
        "(published,\nerror); 5..95 %: range from uncertain values of the machine; bound: no order is "
        "faster\n\n" +
        table.text() + '\n' + why_static_wins(static_gain(scenario)) + '\n';
  }
  text += kTrust + trust_table(all).text();
  text += options.directory.empty()
              ? "The rest: 'a3sim reproduce NAME', or '-o DIR' for all tables as Markdown, CSV and JSON, and "
                "report.html.\n"
              : fmt::format(
                    "The rest: {}/report.html, NAME.md, NAME.csv and points.json; 'a3sim reproduce NAME "
                    "--variants' prints more.\n",
                    options.directory);
  return text;
}

// Returns the tables as an HTML page.
std::string html_of(const std::vector<Shown>& pages, const Scenario& scenario) {
  Page html("Published experiments, predicted", fmt::format("by a3sim {}", kVersion));
  std::vector<Compared> all;
  for (const Shown& page : pages) all.push_back(page.compared);
  PageBlocks answer;
  constexpr std::size_t kMostSentences = 3;
  if (all.size() <= kMostSentences)
    for (const Compared& one : all)
      if (const std::string trust = trust_sentence(one); !trust.empty()) answer.verdict(trust);
  if (const Table table = main_table(all); table.rows_seen() > 0) {
    const StaticGain gain = static_gain(scenario);
    answer.verdict(why_static_wins(gain));
    answer.table(static_gain_table(gain))
        .say(
            "The MoE-FFN of HyperParallel-MoE on Ascend A3, Dispatch to Combine: predicted (published, "
            "error).")
        .table(table);
  }
  for (const Shown& page : pages) {
    const FastestSeries fastest = fastest_series(page.table, page.comparisons);
    if (!fastest.text.empty())
      answer.verdict(fmt::format("{}: {}", page.table.name, fastest.text)).table(fastest.cases);
  }
  std::erase_if(all, [](const Compared& one) {
    return std::ranges::none_of(one.comparisons,
                                [](const Comparison& row) { return row.reference.has_value(); });
  });
  if (all.empty()) {
    answer.say("Nothing was published to compare these predictions with.");
  } else {
    answer.say(
        "How far predictions lie from what was published, and how many published values lie inside their "
        "error bars:");
    answer.table(trust_table(all));
  }
  html.add("Answer", answer);
  for (const Shown& page : pages) {
    add_published(html, page.table, page.heading, page.comparisons, page.compared.bars);
    add_case_timelines(html, page.table, scenario);
  }
  return html.html(fmt::format("a3sim {}", kVersion));
}

void write_pages(const std::string& directory, const std::vector<Shown>& pages,
                 const nlohmann::ordered_json& points, const Scenario& scenario) {
  ResultDirectory result(directory, "reproduce");
  result.add("report.html", html_of(pages, scenario));
  for (const Shown& page : pages) {
    result.add(page.compared.experiment + ".md", page.markdown);
    result.add(page.compared.experiment + ".csv", page.csv);
  }
  result.add("points.json", versioned({{"points", points}}).dump(2) + '\n');
  result.commit();
}

// Shows what is known of the experiments before all of them have been simulated: a line for each that has, and of the one
// that is being simulated the rows as they come, unless there is a page of all.
class GrowingPages {
 public:
  GrowingPages(const ReproduceOptions& options, KnownSoFar& known) : options_(options), known_(known) {}

  // Returns what shows the rows of a table; null if none are shown.
  PointsSink rows_of(const PublishedTable& table) {
    rows_ = 0;
    if (options_.all || options_.brief) return {};
    return [this, &table](std::vector<Point> points) {
      std::erase_if(points, [](const Point& point) { return !point.variant.empty(); });
      std::string lines;
      CaseSelection some;
      some.cases.emplace();  // so that points may be missing
      for (const Comparison& row : compare(table, std::move(points), some)) {
        lines += comparison_line(row) + '\n';
        ++rows_;
      }
      if (lines.empty()) return;
      std::string extent = fmt::format("{} rows of {}", rows_, table.name);
      if (options_.names.size() > 1) extent += ", after " + ended();
      known_.add(lines, extent, pages_);
    };
  }

  // Takes a table that has been simulated, unless it is the last one: then the result follows at once.
  void take(const Shown& page) {
    if (++ended_ == options_.names.size()) return;
    if (!options_.all) pages_ += '\n' + page.text;
    known_.take(lines_, ended());  // its page replaces its rows
    const std::string line = fmt::format("{}: {}\n", page.table.name, summary_of(page.comparisons));
    lines_ += line;
    known_.add(line, ended(), pages_);
  }

 private:
  std::string ended() const { return fmt::format("{} of {} experiments", ended_, options_.names.size()); }

  const ReproduceOptions& options_;
  KnownSoFar& known_;
  std::string lines_, pages_;
  std::size_t ended_ = 0, rows_ = 0;
};

void reproduce(const ReproduceOptions& options, const Scenario& scenario) {
  const Intervals intervals = Intervals::open(Intervals::file_in(scenario.configs));
  std::vector<Shown> pages;
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  std::vector<std::string> stale, barless;
  std::string text;
  KnownSoFar known(options.json);
  GrowingPages growing(options, known);
  for (const std::string& name : options.names) {
    const PublishedTable table = read_published_table(scenario.configs, name);
    Shown& page = pages.emplace_back(known.unless_interrupted(
        [&] { return shown_of(table, options, scenario, intervals, growing.rows_of(table)); }));
    growing.take(page);
    for (const auto& point : page.points) points.push_back(point);
    if (page.stale) stale.push_back(name);
    if (page.barless) barless.push_back(name);
    text += (text.empty() ? "" : "\n") + page.text;
  }
  if (options.all && !options.variants) text = overview(pages);
  if (options.brief) text = brief(pages, options, scenario);
  if (!stale.empty() && scenario.overrides.empty()) {
    text += fmt::format("\nError bars are stale ({}): 'a3sim reproduce --sensitivity' computes them.\n",
                        fmt::join(stale, ", "));
  }
  if (options.check) {
    if (!stale.empty()) {
      throw RunError(fmt::format("error bars are stale: {}; 'a3sim reproduce --sensitivity' computes them",
                                 fmt::join(stale, ", ")));
    }
    text = "The error bars are those of what is predicted.\n";
    if (!barless.empty())
      text += fmt::format("None were computed for {}: 'a3sim reproduce --sensitivity' does.\n",
                          fmt::join(barless, ", "));
  }
  if (!options.directory.empty()) write_pages(options.directory, pages, points, scenario);
  print_result(text, {{"points", points}}, options.json);
}

std::string sensitivity_page(const PublishedTable& table, const ReproduceOptions& options,
                             const Scenario& scenario, Intervals& intervals) {
  const std::vector<std::filesystem::path> files = files_of(scenario);
  const std::string& name = table.name;
  Scenario one = scenario;
  one.threads = 1;  // the draws run beside one another
  const Predictor predictor({{table, barred_cases(table)}}, one, ranged_parameters(files));
  SensitivityOptions draws = bars_of(table, options.draws);
  draws.threads = options.threads.count;
  const Sensitivity result =
      sensitivity([&](std::span<const double> positions) { return predictor.at(positions); },
                  [&](std::span<const double> positions) {
                    return admissible(files, hardware_values_at(predictor.parameters(), positions));
                  },
                  predictor.nominal(), draws);
  std::vector<Comparison> comparisons;
  std::vector<Point> points;
  for (const Predictor::Named& named : predictor.points()) points.push_back(named.comparison.point);
  intervals.set(name, predictor, result, interval_key(points, files, draws));
  for (const Predictor::Named& named : predictor.points()) {
    Comparison& comparison = comparisons.emplace_back(named.comparison);
    comparison.point.more = {{Column::words("moved most by, at the low and the high end"),
                              intervals.movers(name, comparison.point)}};
  }
  return fmt::format("{}\n{}", name, comparison_table(comparisons, [&](const Point& point) {
                                       return intervals.bar(name, point);
                                     }).text());
}

void compute_sensitivity(const ReproduceOptions& options, const Scenario& scenario) {
  const std::filesystem::path file = Intervals::file_in(scenario.configs);
  Intervals intervals = Intervals::open(file);
  std::string text;
  for (const std::string& name : options.names) {
    text += (text.empty() ? "" : "\n") +
            sensitivity_page(read_published_table(scenario.configs, name), options, scenario, intervals);
  }
  if (scenario.overrides.empty()) write_file_atomically(file, intervals.json().dump(1) + '\n');
  print_result(text, intervals.json(), options.json);
}

// Returns the tables of these names, each with those that it names itself.
std::vector<std::string> with_companions(const std::vector<std::string>& names,
                                         const std::filesystem::path& configs) {
  std::vector<std::string> all;
  const auto add = [&all](const std::string& name) {
    if (std::ranges::find(all, name) == all.end()) all.push_back(name);
  };
  for (const std::string& name : names) {
    const PublishedTable table = read_published_table(configs, name);
    add(name);
    std::ranges::for_each(table.with, add);
  }
  return all;
}

void run(const ReproduceOptions& given) {
  ReproduceOptions options = given;
  const Scenario scenario{.overrides = options.set, .threads = options.threads.count};
  const std::vector<std::string> known = published_tables(scenario.configs);
  options.all = options.names.empty();
  options.names = options.all ? known : with_groups(scenario.configs, options.names);
  options.names = with_companions(options.names, scenario.configs);
  if (std::ranges::find(known, options.json.file) != known.end()) {
    throw InputError(fmt::format("--json took '{0}' as its file: write '{0} --json'", options.json.file));
  }
  if (options.sensitivity) {
    compute_sensitivity(options, scenario);
  } else {
    reproduce(options, scenario);
  }
}

void add_reproduce_options(CLI::App& app, ReproduceOptions& options) {
  app.add_option("NAME", options.names, "experiments; without one, a line per experiment");
  repeatable(app.add_option("--set", options.set, "override a value of every configuration; repeatable"),
             "KEY=VALUE");
  app.add_flag("--variants", options.variants,
               "rows of variants too; files and the JSON have them, but with --brief");
  app.add_flag("--brief", options.brief,
               "the main table and how far to trust it, on one page; files without variants");
  app.add_option("-o,--output", options.directory,
                 "write all tables there: Markdown, CSV, JSON, and report.html to look at")
      ->type_name("DIR");
  auto* sensitivity = app.add_flag("--sensitivity", options.sensitivity, "compute error bars");
  app.add_option("--draws", options.draws.draws,
                 "draws of all hardware values together (default: 100; 20 for long experiments)")
      ->check(CLI::Range(20, 100000))
      ->needs(sensitivity);
  app.add_option("--seed", options.draws.seed, "seed of the draws (default: 1)")->needs(sensitivity);
  app.add_flag("--check", options.check, "fail if the error bars are stale")->excludes(sensitivity);
  options.threads.add_to(app);
  options.json.add_to(app);
  app.footer("");  // the callback's text comes first
  app.footer(help_with_tables);
}

A3SIM_REGISTER(Command, "reproduce",
               "Simulate published experiments, and compare predicted with published values",
               Command(CommandGroup::kReproduce, add_reproduce_options, run));

}  // namespace
}  // namespace a3sim
