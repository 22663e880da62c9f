#include "sim/result/run_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/core/read_file.h"
#include "sim/result/step_section.h"

namespace a3sim {
namespace {

// A quantity of a pass; nullopt if the run does not have it.
using PassValue = std::optional<double>;

constexpr double kPicosecondsPerMs = 1e9;

PassValue in_ms(Duration time) { return static_cast<double>(time.count()) / kPicosecondsPerMs; }

PassValue latency_ms(const AnalysedPass& pass) { return in_ms(pass.latency()); }

PassValue bound_ms(const AnalysedPass& pass) {
  return pass.verdict.bound > Duration::zero() ? in_ms(pass.verdict.bound) : std::nullopt;
}

// Returns the share of time above the bound: no order saves more.
PassValue most_gain(const AnalysedPass& pass) {
  return pass.verdict.bound > Duration::zero() ? PassValue(100 * pass.verdict.room()) : std::nullopt;
}

// Returns the mean over ranks; nullopt if ranks do not communicate.
PassValue communication_ms(const AnalysedPass& pass, bool exposed) {
  if (!pass.explained) return {};
  Duration sum{}, all{};
  for (const Overlap& overlap : pass.explained->overlaps) {
    sum += exposed ? overlap.exposed : overlap.exposed + overlap.hidden;
    all += overlap.exposed + overlap.hidden;
  }
  if (all <= Duration::zero()) return {};
  return in_ms(sum / static_cast<std::int64_t>(pass.explained->overlaps.size()));
}

PassValue l2_hit_percent(const AnalysedPass& pass) {
  double hits = 0, requests = 0;
  for (const TraceOperator& op : pass.pass->trace.operators) {
    hits += op.l2_hit;
    requests += op.l2_hit + op.l2_missed;
  }
  return requests > 0 ? PassValue(100 * hits / requests) : std::nullopt;
}

struct Quantity {
  const char* name;
  int decimals;
  bool percent;  // true: differences are percentage points
  PassValue (*read)(const AnalysedPass&);
};

constexpr Quantity kQuantities[] = {
    {"latency ms", 3, false, latency_ms},
    {"bound ms", 3, false, bound_ms},
    {"gain at most %", 1, true, most_gain},
    {"communication ms", 3, false, [](const AnalysedPass& pass) { return communication_ms(pass, false); }},
    {"exposed ms", 3, false, [](const AnalysedPass& pass) { return communication_ms(pass, true); }},
    {"L2 read hits %", 1, true, l2_hit_percent}};

Cell cell_of(PassValue value) { return value ? Cell(*value) : Cell(); }

// Returns a row for each pass, and one for all. Leaves out columns without values.
Table passes_table(const AnalysedRun& run) {
  std::vector<const Quantity*> told;
  for (const Quantity& quantity : kQuantities) {
    const auto tells = [&](const AnalysedPass& pass) { return quantity.read(pass).has_value(); };
    if (std::ranges::any_of(run.passes, tells)) told.push_back(&quantity);
  }
  const auto add_cells = [&](auto& cells, auto&& cell, auto&& bound_by) {
    for (const Quantity* const quantity : told) {
      cells.push_back(cell(*quantity));
      if (quantity->read == bound_ms) cells.push_back(bound_by);
    }
  };
  std::vector<Column> columns{Column::words("pass")};
  add_cells(
      columns, [](const Quantity& quantity) { return Column::number(quantity.name, "", quantity.decimals); },
      Column::words("bound by"));
  Table table(std::move(columns));
  for (const AnalysedPass& pass : run.passes) {
    std::vector<Cell> row{pass.pass->name};
    add_cells(
        row, [&](const Quantity& quantity) { return cell_of(quantity.read(pass)); },
        pass.verdict.bound_by.empty() ? Cell() : Cell(pass.verdict.bound_by));
    table.add(std::move(row));
  }
  if (run.passes.size() > 1) {
    std::vector<Cell> row(table.columns().size());
    row[0] = std::string("all passes");
    row[1] = cell_of(in_ms(run.total()));
    table.add(std::move(row), Audience::kPeople);
  }
  return table;
}

// Adds the first run's value, then for each other run its value, the difference, and the change in per
// cent.
void add_comparison(Table& table, const std::string& pass, const Quantity& quantity,
                    const std::vector<PassValue>& values) {
  if (std::ranges::none_of(values, [](const PassValue& value) { return value.has_value(); })) return;
  std::vector<Cell> row{pass, std::string(quantity.name), cell_of(values[0])};
  for (std::size_t run = 1; run < values.size(); ++run) {
    row.push_back(cell_of(values[run]));
    if (!values[0] || !values[run]) {
      row.insert(row.end(), 2, Cell());
      continue;
    }
    const double difference = *values[run] - *values[0];
    row.emplace_back(difference);
    if (quantity.percent)
      row.emplace_back(fmt::format("{:+.1f} pp", difference));
    else
      row.push_back(share(difference, *values[0]));
  }
  table.add(std::move(row));
}

// Returns a row for each quantity of each pass of the first run, with one column per run.
Table differences_table(const std::vector<AnalysedRun>& runs) {
  constexpr int kDecimals = 3;
  const std::string& first = runs.front().name;
  std::vector<Column> columns{Column::words("pass"), Column::words("quantity"),
                              Column::number(first, "", kDecimals)};
  for (std::size_t run = 1; run < runs.size(); ++run) {
    const std::string& name = runs[run].name;
    columns.push_back(Column::number(name, "", kDecimals));
    columns.push_back(Column::number(fmt::format("{} − {}", name, first), "", kDecimals));
    columns.push_back(Column::signed_percent("change", fmt::format("change of {}", name)));
  }
  Table table(std::move(columns));
  std::vector<PassValue> totals;
  for (const AnalysedRun& run : runs) totals.push_back(in_ms(run.total()));
  if (runs.front().passes.size() > 1) add_comparison(table, "all passes", kQuantities[0], totals);
  for (const AnalysedPass& pass : runs.front().passes) {
    for (const Quantity& quantity : kQuantities) {
      std::vector<PassValue> values;
      for (const AnalysedRun& run : runs) {
        const auto same = [&](const AnalysedPass& known_pass) {
          return known_pass.pass->name == pass.pass->name;
        };
        const auto found = std::ranges::find_if(run.passes, same);
        values.push_back(found == run.passes.end() ? PassValue() : quantity.read(*found));
      }
      add_comparison(table, pass.pass->name, quantity, values);
    }
  }
  return table;
}

bool has_same_passes(const AnalysedRun& a, const AnalysedRun& b) {
  return std::ranges::equal(
      a.passes, b.passes, {}, [](const AnalysedPass& pass) { return pass.pass->name; },
      [](const AnalysedPass& pass) { return pass.pass->name; });
}

// Returns the lines of a run's configuration that say which model it runs; empty if they are not known.
std::string model_of(const AnalysedRun& run) {
  std::error_code error;
  const std::filesystem::path file = run.run->configuration();
  if (!std::filesystem::is_regular_file(file, error)) return {};
  const std::string text = '\n' + read_file(file);
  std::size_t begin = text.find("\nmodel:");
  if (begin == std::string::npos) return {};
  std::size_t end = text.find('\n', ++begin);
  while (end != std::string::npos && end + 1 < text.size() && text[end + 1] == ' ')
    end = text.find('\n', end + 1);
  return text.substr(begin, end == std::string::npos ? end : end - begin);
}

// Says which of two runs is faster, and by how much; or why that is not said.
std::string faster_text(const AnalysedRun& first, const AnalysedRun& other) {
  if (!has_same_passes(first, other))
    return fmt::format("{} and {} have different passes, so their totals are not compared.", other.name,
                       first.name);
  const Duration a = first.total(), b = other.total();
  if (a == b) return fmt::format("{} and {} both take {}.", other.name, first.name, in_ms_or_s(a));
  const std::string times = fmt::format("{} takes {}, {} {} ({:+.1f} %)", other.name, in_ms_or_s(b),
                                        first.name, in_ms_or_s(a), 100 * (seconds(b) / seconds(a) - 1));
  if (model_of(first) != model_of(other))
    return times + ": their models differ, so that says nothing of which is the better way to run one.";
  return fmt::format("{}: {} is {:.2f} times faster.", times, a < b ? first.name : other.name,
                     seconds(std::max(a, b)) / seconds(std::min(a, b)));
}

}  // namespace

void add_answer(Page& page, const std::vector<AnalysedRun>& runs) {
  PageBlocks blocks;
  const bool several = runs.size() > 1;
  // The section of a training step has its time already.
  const bool answered = !several && !runs.front().traced() && has_step(runs.front().run->directory);
  for (std::size_t run = 1; run < runs.size(); ++run) blocks.verdict(faster_text(runs.front(), runs[run]));
  if (!answered) blocks.table(several ? differences_table(runs) : passes_table(runs.front()));
  for (const AnalysedRun& run : runs) {
    for (const AnalysedPass& pass : run.passes) {
      if (!pass.explained) continue;
      const std::string name = several ? run.name + ", " : "";
      blocks.verdict(name + verdict_text(pass.verdict));
    }
    if (!run.traced())
      blocks.say(fmt::format("{} was written without its tasks, so it has no timeline: {}.", run.name,
                             how_to_trace(run.run->directory)));
  }
  const bool step = !several && has_step(runs.front().run->directory);
  if (step && !answered)
    blocks.say(
        "The step above counts all exchanges, also those inside the experts' passes; this table counts those "
        "that are tasks "
        "of their own.");
  page.add(step ? "Tasks" : "Answer", blocks);
}

void add_candidates(Page& page, const std::vector<AnalysedRun>& runs) {
  for (const AnalysedRun& run : runs) {
    Report limits;
    for (const AnalysedPass& pass : run.passes) add_limits(limits, pass.verdict);
    PageBlocks blocks;
    blocks.report(limits);
    if (!blocks.json.empty())
      page.add(runs.size() > 1 ? "What limits " + run.name : "What limits it", blocks);
  }
}

}  // namespace a3sim
