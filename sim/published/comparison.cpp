#include "sim/published/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/result/metrics/metric_unit.h"

namespace a3sim {
namespace {

std::optional<Reference> reference_of(const Point& point, const PublishedTable& table) {
  const Reference* found =
      point.variant.empty() ? find_reference(table.references, point.coordinates, point.metric) : nullptr;
  if (!found) return std::nullopt;
  if (found->hardware == point.hardware) return *found;
  throw InputError(fmt::format("{} {}: published for hardware '{}', predicted for '{}'", table.name,
                               point.coordinates.dump(), found->hardware, point.hardware));
}

// Throws if nothing predicts a published value. Without this check, a misspelt case would go unnoticed.
void check_all_predicted(const PublishedTable& table, const std::vector<Point>& points) {
  for (const Reference& reference : table.references) {
    const bool predicted = std::ranges::any_of(points, [&](const Point& point) {
      return point.variant.empty() && point.metric == reference.metric &&
             same_coordinates(point.coordinates, reference.coordinates);
    });
    if (!predicted) {
      throw InputError(fmt::format("{} {}: {} is published, but nothing predicts it", table.name,
                                   reference.coordinates.dump(), reference.metric));
    }
  }
}

std::string published(const Reference& reference, const std::string& unit) {
  const double value = reference.in(unit);
  if (reference.spread.empty()) return fmt::format("{:.6g}", value);
  double low = value, high = value;
  for (const OtherValue& other : reference.spread) {
    const double in_unit = other.value * value / reference.value;
    low = std::min(low, in_unit);
    high = std::max(high, in_unit);
  }
  return fmt::format("{:.6g} ({:.6g}..{:.6g})", value, low, high);
}

std::string error_text(double error, const Point& point) {
  return fmt::format("{:+.1f} {}", 100 * error, is_fraction(point.metric) ? "pp" : "%");
}

// Returns the relative error of a value in the point's unit; for shares the difference in points, in
// whichever unit they are written.
double error_of_value(double value, const Point& point, const Reference& reference) {
  const double published = reference.in(point.unit), difference = value - published;
  if (published == 0 && difference == 0) return 0;  // times of what begins first
  return is_fraction(point.metric) ? difference * metric_unit(point.metric, point.unit).value()
                                   : difference / published;
}

// Builds the columns and rows of a table of comparisons.
class TableOfPoints {
 public:
  TableOfPoints(const std::vector<Comparison>& comparisons, const ErrorBars& bars);
  std::vector<Column> columns() const;
  std::vector<Cell> cells(const Comparison& comparison) const;

 private:
  // True if a case has too many coordinates for columns of their own.
  bool in_one_column() const { return coordinates_.size() > 12; }
  // Returns "dies 512, dp 32": all coordinates but the first, which has its own column.
  static std::string case_text(const nlohmann::ordered_json& coordinates);

  std::vector<std::string> coordinates_;  // in the order of their first appearance
  std::vector<Column> more_;              // in the order of their first appearance
  std::string metric_, unit_;             // of the first point
  // True if some points have a variant, another metric or unit, or a value by the formula.
  bool variants_ = false, mixed_ = false, formula_ = false;
  const ErrorBars& bars_;
};

// Says where the published value lies: in the prediction's error bar, or beside it.
std::string place_of(const std::optional<Reference>& reference, const ErrorBar& bar,
                     const std::string& unit) {
  if (!reference) return "";
  const double published = reference->in(unit);
  if (bar.holds(published)) return "inside";
  return published < bar.low ? "below" : "above";
}

TableOfPoints::TableOfPoints(const std::vector<Comparison>& comparisons, const ErrorBars& bars)
    : metric_(comparisons.front().point.metric), unit_(comparisons.front().point.unit), bars_(bars) {
  for (const auto& [point, reference] : comparisons) {
    for (const auto& [key, value] : point.coordinates.items()) {
      if (std::ranges::find(coordinates_, key) == coordinates_.end()) coordinates_.push_back(key);
    }
    for (const auto& [column, cell] : point.more) {
      if (std::ranges::find(more_, column.head, &Column::head) == more_.end())
        more_.push_back(Column(column).or_else(""));
    }
    // A case with a name of its own is identified by it; its sizes stand in the JSON.
    if (point.coordinates.contains("id"))
      std::erase_if(coordinates_, [](const std::string& key) {
        return key != "id" && key != "what" && key != "quantity" && key != "dtype";
      });
    variants_ = variants_ || !point.variant.empty();
    mixed_ = mixed_ || point.metric != metric_ || point.unit != unit_;
    formula_ = formula_ || point.formula;
  }
}

std::string TableOfPoints::case_text(const nlohmann::ordered_json& coordinates) {
  std::string text;
  for (auto value = std::next(coordinates.begin()); value != coordinates.end(); ++value)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", value.key(), text_of(*value));
  return text;
}

std::vector<Column> TableOfPoints::columns() const {
  std::vector<Column> columns;
  if (in_one_column())
    columns.push_back(Column::words(coordinates_.front()));
  else
    for (const std::string& name : coordinates_) columns.push_back(Column::words(name));
  if (variants_) columns.push_back(Column::words("variant"));
  if (mixed_) columns.insert(columns.end(), {Column::words("metric"), Column::words("unit")});
  Column predicted = Column::words(mixed_ ? "predicted" : fmt::format("{} {}", metric_, unit_));
  predicted.form = Form::kSignificant;
  columns.push_back(std::move(predicted));
  columns.push_back(Column::words("published"));
  columns.push_back(Column::words("error"));
  if (formula_) {
    columns.push_back(Column::words("formula"));
    columns.back().form = Form::kSignificant;
    columns.push_back(Column::words("its error"));
  }
  if (bars_) {
    columns.push_back(Column::words("5..95 %"));
    columns.push_back(Column::words("vs error bar", "published is").or_else(""));
  }
  columns.insert(columns.end(), more_.begin(), more_.end());
  if (in_one_column()) columns.push_back(Column::words("case"));
  return columns;
}

std::vector<Cell> TableOfPoints::cells(const Comparison& comparison) const {
  const auto& [point, reference] = comparison;
  std::vector<Cell> cells;
  if (in_one_column()) cells.emplace_back(text_of(point.coordinates.front()));
  for (const std::string& name : coordinates_) {
    if (in_one_column()) break;
    Cell& cell = cells.emplace_back();
    if (point.coordinates.contains(name)) cell = text_of(point.coordinates[name]);
  }
  if (variants_) cells.emplace_back(point.variant.empty() ? "default" : point.variant);
  if (mixed_) cells.insert(cells.end(), {Cell(point.metric), Cell(point.unit)});
  cells.emplace_back(point.value);
  Cell &published_cell = cells.emplace_back(), error_cell;
  if (reference) {
    published_cell = published(*reference, point.unit);
    if (const double error = error_of(comparison); std::isfinite(error))
      error_cell = error_text(error, point);
  }
  cells.push_back(std::move(error_cell));
  if (formula_) {
    cells.push_back(point.formula ? Cell(*point.formula) : Cell());
    const std::optional<double> error = reference ? formula_error_of(comparison) : std::nullopt;
    cells.push_back(error ? Cell(error_text(*error, point)) : Cell());
  }
  if (bars_) {
    const std::optional<ErrorBar> bar = bars_(point);
    cells.emplace_back(bar ? bar->text() : "");
    cells.emplace_back(bar ? place_of(reference, *bar, point.unit) : "");
  }
  for (const Column& column : more_) {
    const auto found =
        std::ranges::find(point.more, column.head, [](const auto& one) { return one.first.head; });
    cells.push_back(found == point.more.end() ? Cell() : found->second);
  }
  if (in_one_column()) cells.emplace_back(case_text(point.coordinates));
  return cells;
}

}  // namespace

std::vector<Comparison> compare(const PublishedTable& table, std::vector<Point> points,
                                const CaseSelection& wanted) {
  if (!wanted.cases) check_all_predicted(table, points);
  std::vector<Comparison> comparisons;
  for (Point& point : points) {
    std::optional<Reference> reference = reference_of(point, table);
    comparisons.push_back({std::move(point), std::move(reference)});
  }
  return comparisons;
}

double error_of(const Comparison& comparison) {
  return error_of_value(comparison.point.value, comparison.point, comparison.reference.value());
}

std::optional<double> formula_error_of(const Comparison& comparison) {
  const std::optional<double>& formula = comparison.point.formula;
  if (!formula) return {};
  return error_of_value(*formula, comparison.point, comparison.reference.value());
}

std::string ErrorBar::text() const { return fmt::format("{}..{}", significant(low), significant(high)); }

nlohmann::ordered_json comparisons_json(const std::string& experiment,
                                        const std::vector<Comparison>& comparisons, const ErrorBars& bars) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const auto& [point, reference] : comparisons) {
    nlohmann::ordered_json item{{"experiment", experiment}, {"case", point.coordinates}};
    if (!point.variant.empty()) item["variant"] = point.variant;
    item["metric"] = point.metric;
    item["unit"] = point.unit;
    item["value"] = point.value;
    const std::optional<ErrorBar> bar = bars ? bars(point) : std::nullopt;
    item["low"] = bar ? nlohmann::ordered_json(bar->low) : nullptr;
    item["high"] = bar ? nlohmann::ordered_json(bar->high) : nullptr;
    item["reference"] = reference ? nlohmann::ordered_json(reference->in(point.unit)) : nullptr;
    item["source"] = reference ? nlohmann::ordered_json(reference->source) : nullptr;
    item["formula"] = point.formula ? nlohmann::ordered_json(*point.formula) : nullptr;
    if (reference && reference->follows) item["follows"] = true;
    if (reference && reference->use != Use::kComparison) item["use"] = name_of(reference->use);
    if (reference && !reference->note.empty()) item["note"] = reference->note;
    json.push_back(std::move(item));
  }
  return json;
}

std::string comparison_line(const Comparison& comparison) {
  const auto& [point, reference] = comparison;
  std::string line = fmt::format("{}: {} {}{}{}", text_of_all(point.coordinates), point.metric,
                                 significant(point.value), point.unit.empty() ? "" : " ", point.unit);
  if (!reference) return line;
  line += fmt::format(", published {}", published(*reference, point.unit));
  if (const double error = error_of(comparison); std::isfinite(error))
    line += fmt::format(" ({})", error_text(error, point));
  return line;
}

Table comparison_table(const std::vector<Comparison>& comparisons, const ErrorBars& bars) {
  if (comparisons.empty()) return Table(std::vector<std::string>{"nothing"});
  const TableOfPoints rows(comparisons, bars);
  Table table(rows.columns());
  for (const Comparison& comparison : comparisons) table.add(rows.cells(comparison));
  return table;
}

}  // namespace a3sim
