#include "sim/study/published/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/study/published/metric.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

constexpr std::string_view kNoValue = "-";

std::optional<Reference> reference_of(const Point& point, const std::vector<Reference>& references,
                                      const std::string& experiment) {
  const Reference* found =
      point.variant.empty() ? find_reference(references, point.kase, point.metric) : nullptr;
  if (!found) return std::nullopt;
  if (found->hardware == point.hardware) return *found;
  throw InputError(fmt::format("{} {}: published for hardware '{}', predicted for '{}'", experiment,
                               point.kase.dump(), found->hardware, point.hardware));
}

// A misspelt case would be compared with nothing, in silence.
void check_all_predicted(const std::string& experiment, const std::vector<Reference>& references,
                         const std::vector<Point>& points) {
  for (const Reference& reference : references) {
    const bool predicted = std::any_of(points.begin(), points.end(), [&](const Point& point) {
      return point.variant.empty() && point.metric == reference.metric &&
             same_case(point.kase, reference.kase);
    });
    if (!predicted) {
      throw InputError(fmt::format("{} {}: {} is published, but nothing predicts it", experiment,
                                   reference.kase.dump(), reference.metric));
    }
  }
}

std::string text_of(const nlohmann::ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
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

std::string error_text(const Comparison& comparison) {
  const double percent = 100 * error_of(comparison);
  return fmt::format("{:+.1f} {}", percent, is_fraction(comparison.point.metric) ? "pp" : "%");
}

// What the table of some comparisons has, and how each becomes a line of it.
class Columns {
 public:
  Columns(const std::vector<Comparison>& comparisons, bool interval);
  std::vector<std::string> header() const;
  std::vector<std::string> cells(const Comparison& comparison, const std::string& interval) const;

 private:
  static void add(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  std::vector<std::string> keys_, extras_;  // in the order of their first appearance
  std::string metric_, unit_;               // of the first point
  bool variants_ = false, mixed_ = false;   // whether some points have a variant, another metric or unit
  bool interval_;
};

Columns::Columns(const std::vector<Comparison>& comparisons, bool interval)
    : metric_(comparisons.front().point.metric), unit_(comparisons.front().point.unit), interval_(interval) {
  for (const auto& [point, reference] : comparisons) {
    for (const auto& [key, value] : point.kase.items()) add(keys_, key);
    for (const auto& [head, cell] : point.extra) add(extras_, head);
    variants_ = variants_ || !point.variant.empty();
    mixed_ = mixed_ || point.metric != metric_ || point.unit != unit_;
  }
}

std::vector<std::string> Columns::header() const {
  std::vector<std::string> header = keys_;
  if (variants_) header.emplace_back("variant");
  if (mixed_) header.insert(header.end(), {"metric", "unit", "predicted"});
  if (!mixed_) header.push_back(fmt::format("{} {}", metric_, unit_));
  header.insert(header.end(), {"published", "error"});
  if (interval_) header.emplace_back("5..95 %");
  header.insert(header.end(), extras_.begin(), extras_.end());
  return header;
}

std::vector<std::string> Columns::cells(const Comparison& comparison, const std::string& interval) const {
  const auto& [point, reference] = comparison;
  std::vector<std::string> cells;
  for (const std::string& key : keys_) {
    cells.push_back(point.kase.contains(key) ? text_of(point.kase[key]) : std::string(kNoValue));
  }
  if (variants_) cells.push_back(point.variant.empty() ? "default" : point.variant);
  if (mixed_) cells.insert(cells.end(), {point.metric, point.unit});
  cells.push_back(significant(point.value));
  cells.push_back(reference ? published(*reference, point.unit) : std::string(kNoValue));
  cells.push_back(reference ? error_text(comparison) : std::string(kNoValue));
  if (interval_) cells.push_back(interval);
  for (const std::string& head : extras_) {
    const auto cell = std::find_if(point.extra.begin(), point.extra.end(),
                                   [&](const auto& extra) { return extra.first == head; });
    cells.push_back(cell == point.extra.end() ? "" : cell->second);
  }
  return cells;
}

}  // namespace

std::vector<Comparison> compare(const std::string& experiment, const Setting& setting,
                                std::vector<Point> points) {
  const std::filesystem::path file = setting.configs / "reference" / (experiment + ".yaml");
  std::vector<Reference> references;
  if (std::filesystem::exists(file)) references = read_references(file);
  if (!setting.cases) check_all_predicted(experiment, references, points);
  std::vector<Comparison> comparisons;
  for (Point& point : points) {
    std::optional<Reference> reference = reference_of(point, references, experiment);
    comparisons.push_back({std::move(point), std::move(reference)});
  }
  return comparisons;
}

double error_of(const Comparison& comparison) {
  const double published = comparison.reference.value().in(comparison.point.unit);
  const double difference = comparison.point.value - published;
  const Point& point = comparison.point;
  // In points, whichever unit the share is written in.
  return is_fraction(point.metric) ? difference * metric_unit(point.metric, point.unit).value()
                                   : difference / published;
}

nlohmann::ordered_json comparisons_json(const std::string& experiment,
                                        const std::vector<Comparison>& comparisons) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const auto& [point, reference] : comparisons) {
    nlohmann::ordered_json item{{"experiment", experiment}, {"case", point.kase}};
    if (!point.variant.empty()) item["variant"] = point.variant;
    item["metric"] = point.metric;
    item["unit"] = point.unit;
    item["value"] = point.value;
    item["reference"] = reference ? nlohmann::ordered_json(reference->in(point.unit)) : nullptr;
    item["source"] = reference ? nlohmann::ordered_json(reference->source) : nullptr;
    json.push_back(std::move(item));
  }
  return json;
}

Table comparison_table(const std::vector<Comparison>& comparisons, const IntervalText& interval) {
  if (comparisons.empty()) return Table({"nothing"});
  const Columns columns(comparisons, static_cast<bool>(interval));
  Table table(columns.header());
  for (const Comparison& comparison : comparisons) {
    table.add_words(columns.cells(comparison, interval ? interval(comparison.point) : ""));
  }
  return table;
}

}  // namespace a3sim
