#include "sim/published/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/config/config.h"
#include "sim/core/config/decimal.h"
#include "sim/result/metrics/metric_unit.h"

namespace a3sim {
namespace {

double read_value(const Config& config, const std::string& metric) {
  const MetricValue parsed = parse_metric(metric, config.text("value"));
  if (!parsed.error.empty()) config.error("value", parsed.error);
  return parsed.value;
}

Reference read_point(const Config& point) {
  Reference reference;
  const Config coordinates = point.map("case");
  for (const std::string& key : coordinates.names())
    reference.coordinates[key] = coordinate_of(coordinates.text(key));
  reference.metric = point.text("metric");
  reference.value = read_value(point, reference.metric);
  reference.hardware = point.text("hardware");
  reference.source = point.text("source");
  reference.note = point.text("note", "");
  reference.use = point.choice("use", Use::kComparison);
  for (const Config& other : point.maps("spread")) {
    reference.spread.push_back({read_value(other, reference.metric), other.text("source")});
    other.finish();
  }
  point.finish();
  return reference;
}

// True for a total whose passes were published, and for a speed-up whose latencies were.
bool follows_from(const Reference& reference, const std::vector<Reference>& references) {
  nlohmann::ordered_json json = reference.coordinates;
  if (reference.metric == "speedup") return find_reference(references, json, "latency") != nullptr;
  if (!json.contains("pass") || json["pass"] != "total") return false;
  json["pass"] = "forward";
  return find_reference(references, json, reference.metric) != nullptr;
}

}  // namespace

double Reference::in(std::string_view unit) const {
  const double base = metric_unit(metric, unit).value();
  return base < 1 ? value * std::round(1 / base) : value / base;
}

bool same_coordinates(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b) {
  return nlohmann::json(a) == nlohmann::json(b);
}

nlohmann::ordered_json coordinate_of(const std::string& text) {
  std::int64_t number = 0;
  if (decimal_integer(text, number)) return number;
  if (text == "true" || text == "false") return text == "true";
  return text;
}

std::string text_of(const nlohmann::ordered_json& coordinate) {
  return coordinate.is_string() ? coordinate.get<std::string>() : coordinate.dump();
}

std::string text_of_all(const nlohmann::ordered_json& coordinates) {
  std::string text;
  for (const auto& [key, value] : coordinates.items())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, text_of(value));
  return text;
}

std::vector<Reference> read_references(const Config& table) {
  std::vector<Reference> references;
  for (const Config& point : table.maps("points")) {
    Reference reference = read_point(point);
    if (find_reference(references, reference.coordinates, reference.metric)) {
      point.error("case", "a second value of this case, expected other published values under 'spread'");
    }
    references.push_back(std::move(reference));
  }
  for (Reference& reference : references) reference.follows = follows_from(reference, references);
  return references;
}

const Reference* find_reference(const std::vector<Reference>& references,
                                const nlohmann::ordered_json& coordinates, std::string_view metric) {
  const auto found = std::ranges::find_if(references, [&](const Reference& reference) {
    return reference.metric == metric && same_coordinates(reference.coordinates, coordinates);
  });
  return found == references.end() ? nullptr : &*found;
}

}  // namespace a3sim
