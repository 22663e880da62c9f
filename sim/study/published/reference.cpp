#include "sim/study/published/reference.h"

#include <algorithm>
#include <cmath>

#include "sim/core/config/config.h"
#include "sim/core/config/decimal.h"
#include "sim/study/published/metric.h"

namespace a3sim {
namespace {

// Whole numbers become numbers, everything else text.
nlohmann::ordered_json scalar(const std::string& text) {
  std::int64_t number = 0;
  if (decimal_integer(text, number)) return number;
  return text;
}

double read_value(const Config& config, const std::string& metric) {
  const MetricValue parsed = parse_metric(metric, config.text("value"));
  if (!parsed.error.empty()) config.error("value", parsed.error);
  return parsed.value;
}

Reference read_point(const Config& point) {
  Reference reference;
  const Config kase = point.map("case");
  for (const std::string& key : kase.keys()) reference.kase[key] = scalar(kase.text(key));
  reference.metric = point.text("metric");
  reference.value = read_value(point, reference.metric);
  reference.hardware = point.text("hardware");
  reference.source = point.text("source");
  reference.note = point.text("note", "");
  reference.calibration = point.choice("use", {"comparison", "calibration"}, "comparison") == 1;
  for (const Config& other : point.maps("spread")) {
    reference.spread.push_back({read_value(other, reference.metric), other.text("source")});
    other.finish();
  }
  point.finish();
  return reference;
}

}  // namespace

double Reference::in(std::string_view unit) const {
  const double base = metric_unit(metric, unit).value();
  return base < 1 ? value * std::round(1 / base) : value / base;
}

std::vector<Reference> read_references(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  std::vector<Reference> references;
  for (const Config& point : root.maps("points")) {
    Reference reference = read_point(point);
    if (find_reference(references, reference.kase, reference.metric)) {
      point.error("case", "a second value of this case, expected other published values under 'spread'");
    }
    references.push_back(std::move(reference));
  }
  root.finish();
  diagnostics.throw_if_any();
  return references;
}

bool same_case(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b) {
  return nlohmann::json(a) == nlohmann::json(b);
}

const Reference* find_reference(const std::vector<Reference>& references, const nlohmann::ordered_json& kase,
                                std::string_view metric) {
  const auto found = std::find_if(references.begin(), references.end(), [&](const Reference& reference) {
    return reference.metric == metric && same_case(reference.kase, kase);
  });
  return found == references.end() ? nullptr : &*found;
}

}  // namespace a3sim
