#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/compare/runs/what_if.h"
#include "sim/verdict/verdict.h"
#include "version.h"

namespace a3sim {
namespace {

using Outcome = WhatIf::Outcome;

bool changes_latency(const WhatIf& result, const WhatIf::Row& row) {
  return row.better.totals != result.now.totals || (row.free && row.free->totals != result.now.totals);
}

bool changes_bound(const WhatIf& result, const WhatIf::Row& row) {
  return row.better.bounds != result.now.bounds || (row.free && row.free->bounds != result.now.bounds);
}

// Those of cables only where there are some.
std::vector<Bound> shown_bounds(const WhatIf& result) {
  std::vector<Bound> shown;
  for (std::uint32_t b = 0; b < kBounds; ++b)
    if (is_shown(static_cast<Bound>(b), result.now.bounds[b])) shown.push_back(static_cast<Bound>(b));
  return shown;
}

// Return keys and values, in the same order, of an outcome's details besides its total.
std::vector<std::string> detail_keys(const WhatIf& result, const std::string& prefix) {
  std::vector<std::string> keys;
  for (const std::string& pass : result.passes) keys.push_back(prefix + ".passes_ps." + pass);
  for (const Bound bound : shown_bounds(result))
    keys.push_back(fmt::format("{}.bounds_ps.{}", prefix, name_of(bound)));
  return keys;
}

std::vector<Cell> details(const WhatIf& result, const Outcome& outcome) {
  std::vector<Cell> cells;
  for (const Latencies& pass : outcome.passes) cells.emplace_back(median_of(pass));
  for (const Bound bound : shown_bounds(result))
    cells.emplace_back(outcome.bounds[static_cast<std::size_t>(bound)]);
  return cells;
}

// Adds the columns of one improvement: the latency, the gain, and its interval.
void add_columns(std::vector<Column>& columns, const WhatIf& result, const std::string& head,
                 const std::string& key, const std::string& gain) {
  columns.push_back(Column::milliseconds(head + " ms", key + ".total_ps"));
  columns.push_back(Column::percent("gain", gain, 2));
  columns.push_back(Column::words("95 %").for_people());
  for (const char* end : {"_low", "_high"}) columns.push_back(Column::data(gain + end));
  for (std::string& detail : detail_keys(result, key)) columns.push_back(Column::data(std::move(detail)));
}

void add_cells(std::vector<Cell>& cells, const WhatIf& result, const Outcome& outcome) {
  const MedianInterval gain = result.gain(outcome);
  cells.insert(cells.end(), {outcome.total(), gain.median, interval_in_percent(gain), gain.low, gain.high});
  for (Cell& cell : details(result, outcome)) cells.push_back(std::move(cell));
}

void add_gains(Report& report, const WhatIf& result) {
  std::vector<Column> columns{Column::words("part of the machine", "row"), Column::data("part"),
                              Column::data("values")};
  add_columns(columns, result, "10 % better", "better", "gain_10_percent");
  const std::size_t one = columns.size();
  add_columns(columns, result, "free", "free", "gain_free");
  Table& table = report.table("parts", std::move(columns));
  std::vector<Cell> now{"as it is", "", "", result.now.total(), "", ""};
  now.resize(one);
  now.insert(now.end(), {"", "", ""});
  now.resize(table.columns().size());
  table.add(std::move(now), Audience::kPeople);
  for (const WhatIf::Row& row : result.rows) {
    std::vector<Cell> cells{row.name, row.part->name, row.part->value_names()};
    add_cells(cells, result, row.better);
    if (row.free) add_cells(cells, result, *row.free);
    cells.resize(table.columns().size());
    table.add(std::move(cells), changes_latency(result, row) ? Audience::kAll : Audience::kPrograms);
  }
}

// Reports the worth of each level of a topology: all of its cables at twice and at a tenth of their rates.
void add_levels(Report& report, const WhatIf& result) {
  if (result.levels.empty()) return;
  std::vector<Column> columns{Column::words("level of cables", "level"), Column::data("plane"),
                              Column::count("cables")};
  add_columns(columns, result, "twice as fast", "twice", "gain_twice");
  add_columns(columns, result, "a tenth", "tenth", "gain_tenth");
  Table& table = report.table("levels", std::move(columns));
  for (const WhatIf::Level& level : result.levels) {
    std::vector<Cell> cells{level.name, level.plane, whole(level.cables)};
    add_cells(cells, result, level.twice);
    add_cells(cells, result, level.tenth);
    table.add(std::move(cells));
  }
}

// Adds the bounds on the machine as it is, then on the better ones if they differ.
void add_bounds(Report& report, const WhatIf& result) {
  std::vector<Column> columns{Column::words("lower bounds ms, 10 % better / free")};
  std::vector<Cell> now{"as it is"};
  for (const Bound bound : shown_bounds(result)) {
    columns.push_back(Column::milliseconds(std::string(name_of(bound))));
    now.emplace_back(result.now.bounds[static_cast<std::size_t>(bound)]);
  }
  Table& table = report.table("", std::move(columns));
  table.add(std::move(now));
  for (const WhatIf::Row& row : result.rows) {
    if (!changes_bound(result, row)) continue;
    std::vector<Cell> cells{row.name};
    for (const Bound bound : shown_bounds(result)) {
      const auto b = static_cast<std::size_t>(bound);
      const Duration as_is = result.now.bounds[b], better = row.better.bounds[b];
      const bool same = better == as_is && (!row.free || row.free->bounds[b] == as_is);
      const std::string free = row.free ? in_milliseconds(row.free->bounds[b]) : "-";
      cells.emplace_back(same ? "." : fmt::format("{} / {}", in_milliseconds(better), free));
    }
    table.add(std::move(cells));
  }
}

std::string notes(const WhatIf& result) {
  std::string unchanged;
  bool slower = false;
  for (const WhatIf::Row& row : result.rows) {
    if (!changes_latency(result, row)) unchanged += (unchanged.empty() ? "" : "; ") + row.name;
    slower |= result.gain(row.better).high < 0 || (row.free && result.gain(*row.free).high < 0);
  }
  std::string text;
  if (!unchanged.empty()) text += "Changes nothing here: " + unchanged + ".\n";
  if (slower) {
    text +=
        "A negative gain is no mistake: with other times tasks meet others in the L2 and on the links, and "
        "what is\n"
        "faster alone may come out slower together.\n";
  }
  return text;
}

// Why a row above what binds is not named: "AIC, 28 instead of 25 (+12 %) (another machine, with other schedules)".
std::string passed_over(const WhatIf& result, const WhatIf::Row& row) {
  const char* why = "gains less if it is free";
  if (row.part->kind == MachinePart::Kind::kWhole) why = "carries other parts with it";
  if (row.part->kind == MachinePart::Kind::kCount) why = "another machine, with other schedules";
  if (!result.gain(row.better).clear()) why = "its gain is noise";
  return fmt::format("{} ({})", row.name, why);
}

// The rows above it, and why they are not named; nothing where it is the first row.
std::string rows_above(const WhatIf& result, const WhatIf::Row& binding) {
  std::vector<std::string> above;
  for (const WhatIf::Row& row : result.rows) {
    if (&row == &binding) break;
    above.push_back(passed_over(result, row));
  }
  return above.empty() ? "" : fmt::format(" Above it in the table: {}.", fmt::join(above, ", "));
}

// Returns the parts that bind: of those that stand for themselves and gain more than noise, the ones that gain most.
std::string what_binds(const WhatIf& result, bool streams) {
  const auto bound = std::ranges::max_element(result.now.bounds);
  Verdict verdict{{},
                  result.now.total(),
                  *bound,
                  std::string(name_of(static_cast<Bound>(bound - result.now.bounds.begin()))),
                  {}};
  if (streams) verdict.on_streams();
  for (const WhatIf::Row& row : result.rows) {
    const auto gains = [&](const Outcome& outcome) { return result.gain(outcome).clear(); };
    if (row.part->kind != MachinePart::Kind::kSingle ||
        !(gains(row.better) || (row.free && gains(*row.free))))
      continue;
    verdict.candidates.push_back({row.name, {}, result.gain(row.better), {}, {}});
    if (row.free) verdict.candidates.back().free = result.gain(*row.free);
  }
  rank(verdict);
  std::string text = verdict_text(verdict);
  if (!verdict.candidates.empty()) {
    const auto binds = std::ranges::find(result.rows, verdict.candidates.front().name, &WhatIf::Row::name);
    text += rows_above(result, *binds);
  }
  return text + '\n';
}

}  // namespace

Report what_if_report(const Experiment& experiment, const WhatIf& result, const JitterOptions& jitter) {
  Report report;
  report.fact("schema_version", 1).fact("a3sim", kVersion).fact("name", experiment.name);
  add_jitter(report, jitter);
  report.fact("hardware", experiment.hardware.name).fact("now.total_ps", result.now.total());
  const std::vector<std::string> keys = detail_keys(result, "now");
  const std::vector<Cell> values = details(result, result.now);
  for (std::size_t i = 0; i < keys.size(); ++i) report.fact(keys[i], values[i]);
  report.say(
      fmt::format("{} (a3sim {}), {} execution, order {}: what a better machine would gain, one part at a "
                  "time\n{}",
                  experiment.name, kVersion, experiment.work->execution(experiment),
                  experiment.work->label(experiment), jitter_note(jitter)));
  add_gains(report, result);
  add_levels(report, result);
  add_bounds(report, result);
  report.say(notes(result));
  report.say_on(what_binds(result, !experiment.work->why_no_schedules().empty()), "binds");
  return report;
}

}  // namespace a3sim
