#include <fmt/format.h>

#include "sim/study/explore/what_if.h"
#include "version.h"

namespace a3sim {
namespace {

using Outcome = WhatIf::Outcome;

bool changes_latency(const WhatIf& result, const WhatIf::Row& row) {
  return row.better.total != result.now.total || (row.free && row.free->total != result.now.total);
}

bool changes_bound(const WhatIf& result, const WhatIf::Row& row) {
  return row.better.bounds != result.now.bounds || (row.free && row.free->bounds != result.now.bounds);
}

// What an outcome has besides its total: keys, and values in the same order.
std::vector<std::string> detail_keys(const Experiment& experiment, const std::string& prefix) {
  std::vector<std::string> keys;
  for (const Pass& pass : experiment.passes) keys.push_back(prefix + ".passes_ps." + pass.name);
  for (std::uint32_t b = 0; b < kBounds; ++b)
    keys.push_back(fmt::format("{}.bounds_ps.{}", prefix, name_of(static_cast<Bound>(b))));
  return keys;
}

std::vector<Cell> details(const Outcome& outcome) {
  std::vector<Cell> cells(outcome.passes.begin(), outcome.passes.end());
  cells.insert(cells.end(), outcome.bounds.begin(), outcome.bounds.end());
  return cells;
}

void add_gains(Report& report, const Experiment& experiment, const WhatIf& result) {
  std::vector<Column> columns{Column::words("part of the machine", "row"),
                              Column::milliseconds("10 % better ms", "better.total_ps"),
                              Column::percent("gain", "gain_10_percent", 2),
                              Column::milliseconds("free ms", "free.total_ps"),
                              Column::percent("gain", "gain_free", 2),
                              Column::data("part"),
                              Column::data("values")};
  for (const char* outcome : {"better", "free"}) {
    for (std::string& key : detail_keys(experiment, outcome)) columns.push_back(Column::data(std::move(key)));
  }
  Table& table = report.table("parts", std::move(columns));
  const std::size_t rest = details(result.now).size();
  std::vector<Cell> now{"as it is", result.now.total, "", "", "", "", ""};
  now.resize(now.size() + 2 * rest);
  table.add(std::move(now), Seen::kByPeople);
  for (const WhatIf::Row& row : result.rows) {
    std::vector<Cell> cells{row.name,
                            row.better.total,
                            result.gain(row.better),
                            row.free ? row.free->total : Cell(),
                            row.free ? result.gain(*row.free) : Cell(),
                            std::string(row.part->name),
                            fmt::format("{}", fmt::join(row.part->values, ", "))};
    for (Cell& cell : details(row.better)) cells.push_back(std::move(cell));
    for (Cell& cell : row.free ? details(*row.free) : std::vector<Cell>(rest))
      cells.push_back(std::move(cell));
    table.add(std::move(cells), changes_latency(result, row) ? Seen::kByAll : Seen::kByPrograms);
  }
}

// What no schedule can beat on the machine as it is, then on the better ones, where that differs.
void add_bounds(Report& report, const WhatIf& result) {
  std::vector<Column> columns{Column::words("lower bounds ms, 10 % better / free")};
  std::vector<Cell> now{"as it is"};
  for (std::uint32_t b = 0; b < kBounds; ++b) {
    columns.push_back(Column::milliseconds(std::string(name_of(static_cast<Bound>(b)))));
    now.emplace_back(result.now.bounds[b]);
  }
  Table& table = report.table("", std::move(columns));
  table.add(std::move(now));
  for (const WhatIf::Row& row : result.rows) {
    if (!changes_bound(result, row)) continue;
    std::vector<Cell> cells{row.name};
    for (std::uint32_t b = 0; b < kBounds; ++b) {
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
    slower |= row.better.total > result.now.total || (row.free && row.free->total > result.now.total);
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

// One sentence that names what binds: of the parts that stand for themselves, the one of which 10 % gain
// most.
std::string what_binds(const WhatIf& result) {
  const WhatIf::Row *first = nullptr, *second = nullptr;
  for (const WhatIf::Row& row : result.rows) {
    if (row.part->kind != MachinePart::Kind::kSingle) continue;
    if (first) second = second ? second : &row;
    first = first ? first : &row;
  }
  constexpr double kLittle = 0.001;
  const double most = result.gain(first->better);
  if (most < kLittle) {
    return fmt::format("No single part binds: 10 % more of any gains less than {} of {} ms.\n",
                       in_percent(kLittle, 2), in_milliseconds(result.now.total));
  }
  return fmt::format("What binds is {}: 10 % better, it gains {} of {} ms, and free {}; next with {}: {}.\n",
                     first->name, in_percent(most, 2), in_milliseconds(result.now.total),
                     in_percent(result.gain(*first->free), 2), second->name,
                     in_percent(result.gain(second->better), 2));
}

}  // namespace

Report what_if_report(const Experiment& experiment, const WhatIf& result) {
  Report report;
  report.fact("schema_version", 1).fact("a3sim", kVersion).fact("name", experiment.name);
  report.fact("hardware", experiment.hardware.name).fact("now.total_ps", result.now.total);
  const std::vector<std::string> keys = detail_keys(experiment, "now");
  const std::vector<Cell> values = details(result.now);
  for (std::size_t i = 0; i < keys.size(); ++i) report.fact(keys[i], values[i]);
  report.say(
      fmt::format("{} (a3sim {}), {} execution, order {}: what a better machine would gain, one part at a "
                  "time\n",
                  experiment.name, kVersion, experiment.run.execution, experiment.order.name));
  add_gains(report, experiment, result);
  add_bounds(report, result);
  report.say(notes(result));
  report.say_on(what_binds(result), "binds");
  return report;
}

}  // namespace a3sim
