#include "sim/published/page/published_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/published/case_timelines.h"
#include "sim/published/direction_turns.h"
#include "sim/published/directions.h"
#include "sim/published/fit/error_bars.h"
#include "sim/published/formula_verdict.h"
#include "sim/published/method_signs.h"
#include "sim/published/published_figure.h"
#include "sim/published/simplest_formula.h"
#include "version.h"

namespace a3sim {
namespace {

constexpr const char* kTrust =
    "How far to trust it (docs/trust.md; every point: configs/reference/errors.md):\n";

}  // namespace

PublishedPage published_page(const PublishedTable& table, const Scenario& scenario,
                             const Intervals& intervals, const PublishedPageOptions& options) {
  const Predictions result =
      predict(table, scenario, {.variants = options.predicts_variants, .seen = options.seen});
  PublishedPage page;
  const std::string& name = table.name;
  std::vector<Comparison> comparisons = compare(table, result.points);
  const std::string key = error_bar_key(table, result.points, scenario);
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
  const Table shown = options.shows_variants ? whole : comparison_table(defaults, bars);
  page.text = fmt::format("{}\n{}", heading, shown.text());
  if (!notes.empty()) page.text += '\n' + notes;
  page.compared = {name, std::move(defaults), bars};
  page.table = table;
  page.heading = below;  // a page has said before which is the fastest
  page.comparisons = std::move(comparisons);
  return page;
}

std::string overview_text(const std::vector<PublishedPage>& pages) {
  std::vector<Compared> all;
  for (const PublishedPage& page : pages) all.push_back(page.compared);
  return trust_table(all).text() +
         "\n'a3sim reproduce NAME' prints an experiment, 'a3sim reproduce --brief' the main table.\n";
}

std::string brief_text(const std::vector<PublishedPage>& pages, const std::string& directory,
                       const Scenario& scenario) {
  std::vector<Compared> all;
  for (const PublishedPage& page : pages) all.push_back(page.compared);
  std::string text;
  if (const Table table = main_table(all); table.rows_seen() > 0) {
    text =
        "MoE-FFN of HyperParallel-MoE (arXiv 2605.23764) on Ascend A3, Dispatch to Combine: predicted "
        "(published,\nerror); 5..95 %: range from uncertain values of the machine; bound: no order is "
        "faster\n\n" +
        table.text() + '\n' + why_static_wins(static_gain(scenario)) + '\n';
  }
  text += kTrust + trust_table(all).text();
  text += directory.empty()
              ? "The rest: 'a3sim reproduce NAME', or '-o DIR' for all tables as Markdown, CSV and JSON, and "
                "report.html.\n"
              : fmt::format(
                    "The rest: {}/report.html, NAME.md, NAME.csv and points.json; 'a3sim reproduce NAME "
                    "--variants' prints more.\n",
                    directory);
  return text;
}

std::string published_html(const std::vector<PublishedPage>& pages, const Scenario& scenario) {
  Page html("Published experiments, predicted", fmt::format("by a3sim {}", kVersion));
  std::vector<Compared> all;
  for (const PublishedPage& page : pages) all.push_back(page.compared);
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
  for (const PublishedPage& page : pages) {
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
  for (const PublishedPage& page : pages) {
    add_published(html, page.table, page.heading, page.comparisons, page.compared.bars);
    add_case_timelines(html, page.table, scenario);
  }
  return html.html(fmt::format("a3sim {}", kVersion));
}

}  // namespace a3sim
