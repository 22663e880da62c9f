#include "sim/sweep/results/pivot_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sim/core/error.h"
#include "sim/core/statistics.h"
#include "sim/sweep/results/points_view.h"

namespace a3sim {

double ResultPivot::Cell::median() const { return quantile(values, 0.5); }

ResultPivot pivot_of(const SweepResults& sweep, std::size_t rows, std::size_t columns,
                     const ResultMetric& metric) {
  ResultPivot pivot{rows, columns, {}};
  pivot.cells.assign(sweep.axes[rows].values.size(),
                     std::vector<ResultPivot::Cell>(sweep.axes[columns].values.size()));
  for (std::size_t point = 0; point < sweep.points.size(); ++point) {
    const std::vector<std::size_t>& levels = sweep.points[point].levels;
    if (!std::isnan(metric.values[point]))
      pivot.cells[levels[rows]][levels[columns]].values.push_back(metric.values[point]);
  }
  for (std::vector<ResultPivot::Cell>& row : pivot.cells) {
    for (ResultPivot::Cell& cell : row) std::ranges::sort(cell.values);
  }
  return pivot;
}

std::vector<std::string> other_axes(const SweepResults& sweep, const std::vector<std::size_t>& used) {
  std::vector<std::string> names;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    if (std::ranges::find(used, axis) == used.end() && sweep.axes[axis].values.size() > 1)
      names.push_back(sweep.axes[axis].name);
  }
  return names;
}

namespace {

// The spread that the median of a cell hides.
struct PivotSpread {
  std::size_t fewest = static_cast<std::size_t>(-1), most = 0;  // values in a non-empty cell
  double widest = 0;                                            // (max - min) / median
};

PivotSpread spread_of(const ResultPivot& pivot) {
  PivotSpread spread;
  for (const std::vector<ResultPivot::Cell>& row : pivot.cells) {
    for (const ResultPivot::Cell& cell : row) {
      if (cell.values.empty()) continue;
      spread.fewest = std::min(spread.fewest, cell.values.size());
      spread.most = std::max(spread.most, cell.values.size());
      if (const double median = cell.median(); median != 0)
        spread.widest =
            std::max(spread.widest, (cell.values.back() - cell.values.front()) / std::abs(median));
    }
  }
  return spread;
}

std::string spread_text(const PivotSpread& spread, const std::vector<std::string>& others) {
  if (spread.most <= 1) return {};
  const std::string count = spread.fewest == spread.most
                                ? fmt::format("{}", spread.most)
                                : fmt::format("{} to {}", spread.fewest, spread.most);
  return fmt::format("each cell: the median of {} points{}{}; they differ by up to {:.3g} % of it\n", count,
                     others.empty() ? "" : ", over ", fmt::join(others, ", "), 100 * spread.widest);
}

// Returns "--where tokens=512 (or 1024, 2048)" for each axis.
std::string choices_text(const SweepResults& sweep, const std::vector<std::string>& others) {
  constexpr std::size_t kMostValues = 6;
  std::string text;
  for (const std::string& name : others) {
    const std::vector<std::string>& values = sweep.axes[sweep.axis(name)].values;
    std::vector<std::string> rest(values.begin() + 1, values.end());
    if (rest.size() > kMostValues) {
      rest.resize(kMostValues);
      rest.emplace_back("…");
    }
    text += fmt::format("\n  --where '{}={}'   or {}", name, values.front(), fmt::join(rest, ", "));
  }
  return text;
}

}  // namespace

void refuse_unlike_points(const SweepResults& sweep, const std::string& rows, const std::string& columns,
                          const ResultMetric& metric) {
  constexpr double kUnlike = 0.1;
  const ResultPivot pivot = pivot_of(sweep, sweep.axis(rows), sweep.axis(columns), metric);
  const PivotSpread spread = spread_of(pivot);
  const std::vector<std::string> others = other_axes(sweep, {pivot.rows, pivot.columns});
  if (spread.most <= 1 || spread.widest <= kUnlike || others.empty()) return;
  throw InputError(
      fmt::format("a cell of {} by {} would be the median of {} points that differ by up to {:.3g} % of it "
                  "in {}, over {}; "
                  "choose which, or take medians all the same with --median:{}",
                  rows, columns, spread.most, 100 * spread.widest, metric.name, fmt::join(others, ", "),
                  choices_text(sweep, others)));
}

Report pivot_view(const SweepResults& sweep, const std::string& rows, const std::string& columns,
                  const ResultMetric& metric) {
  const ResultPivot pivot = pivot_of(sweep, sweep.axis(rows), sweep.axis(columns), metric);
  const std::vector<std::string> others = other_axes(sweep, {pivot.rows, pivot.columns});
  const PivotSpread spread = spread_of(pivot);
  Report report;
  report.fact("sweep", sweep.name).fact("pass", metric.pass).fact("metric", metric.name);
  report.fact("unit", metric.unit).fact("rows_axis", rows).fact("columns_axis", columns);
  report.fact("median_over", fmt::format("{}", fmt::join(others, ", ")));
  if (spread.most > 0) {
    report.fact("fewest_points_per_cell", whole(spread.fewest))
        .fact("most_points_per_cell", whole(spread.most));
    report.fact("largest_spread", spread.widest);
  }
  report.say(
      fmt::format("{}, {}: {} by {}\n", heading(metric.name, metric.unit), metric.pass, rows, columns));
  std::vector<Column> heads{Column::words(rows)};
  for (const std::string& value : sweep.axes[pivot.columns].values) {
    heads.push_back(metric_column(metric));
    heads.back().head = fmt::format("{}={}", columns, value);
    heads.back().key.clear();  // programs see the head, too: all columns have one metric
  }
  Table& table = report.table(kResultRows, std::move(heads));
  for (std::size_t row = 0; row < pivot.cells.size(); ++row) {
    std::vector<Cell> cells{sweep.axes[pivot.rows].values[row]};
    for (const ResultPivot::Cell& cell : pivot.cells[row])
      cells.push_back(cell.values.empty() ? Cell() : Cell(cell.median()));
    table.add(std::move(cells));
  }
  report.say(spread_text(spread, others));
  return report;
}

}  // namespace a3sim
