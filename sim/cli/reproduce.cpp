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
#include "sim/published/fit/error_bars.h"
#include "sim/published/formula_verdict.h"
#include "sim/published/page/published_page.h"
#include "sim/published/simplest_formula.h"

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

// How far predictions lie from what was published, in words.
std::string summary_of(const std::vector<Comparison>& comparisons) {
  const FormulaVerdict verdict = verdict_of(comparisons);
  if (verdict.predicted.points == 0) return fmt::format("{} predictions", comparisons.size());
  return fmt::format("{} published, mean error {}, largest {}", verdict.predicted.points,
                     in_percent(verdict.predicted.mean()), in_percent(verdict.predicted.largest));
}

void write_pages(const std::string& directory, const std::vector<PublishedPage>& pages,
                 const nlohmann::ordered_json& points, const Scenario& scenario) {
  ResultDirectory result(directory, "reproduce");
  result.add("report.html", published_html(pages, scenario));
  for (const PublishedPage& page : pages) {
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
  void take(const PublishedPage& page) {
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
  std::vector<PublishedPage> pages;
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  std::vector<std::string> stale, barless;
  std::string text;
  KnownSoFar known(options.json);
  GrowingPages growing(options, known);
  const bool in_files = options.json.given || !options.directory.empty();
  PublishedPageOptions how{.predicts_variants = options.variants || (!options.brief && in_files),
                           .shows_variants = options.variants};
  for (const std::string& name : options.names) {
    const PublishedTable table = read_published_table(scenario.configs, name);
    how.seen = growing.rows_of(table);
    PublishedPage& page = pages.emplace_back(
        known.unless_interrupted([&] { return published_page(table, scenario, intervals, how); }));
    growing.take(page);
    for (const auto& point : page.points) points.push_back(point);
    if (page.stale) stale.push_back(name);
    if (page.barless) barless.push_back(name);
    text += (text.empty() ? "" : "\n") + page.text;
  }
  if (options.all && !options.variants) text = overview_text(pages);
  if (options.brief) text = brief_text(pages, options.directory, scenario);
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

void compute_sensitivity(const ReproduceOptions& options, const Scenario& scenario) {
  const std::filesystem::path file = Intervals::file_in(scenario.configs);
  Intervals intervals = Intervals::open(file);
  SensitivityOptions draws = options.draws;
  draws.threads = options.threads.count;
  std::string text;
  for (const std::string& name : options.names) {
    text += (text.empty() ? "" : "\n") +
            compute_error_bars(read_published_table(scenario.configs, name), draws, scenario, intervals);
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
