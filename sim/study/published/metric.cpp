#include "sim/study/published/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/config/decimal.h"

namespace a3sim {
namespace {

struct Unit {
  std::string_view metric, name;
  double base;
};

constexpr Unit kUnits[] = {
    {"latency", "ns", 1e-9},
    {"latency", "us", 1e-6},
    {"latency", "ms", 1e-3},
    {"latency", "s", 1},
    {"tflops", "GFLOPS", 1e9},
    {"tflops", "TFLOPS", 1e12},
    {"l2_read_hit_rate", "%", 0.01},
    {"bandwidth", "GB/s", 1e9},
    {"bandwidth", "TB/s", 1e12},
    {"l2_read_hit_rate", "fraction", 1},
    {"slowdown", "%", 0.01},
    {"slowdown", "fraction", 1},
    {"speedup", "x", 1},
};

std::string expected_units(std::string_view metric) {
  std::string names;
  for (const Unit& unit : kUnits) {
    if (unit.metric == metric) names += fmt::format("{}{}", names.empty() ? "" : " ", unit.name);
  }
  return names;
}

}  // namespace

std::optional<double> metric_unit(std::string_view metric, std::string_view unit) {
  for (const Unit& known : kUnits) {
    if (known.metric == metric && known.name == unit) return known.base;
  }
  return std::nullopt;
}

bool is_fraction(std::string_view metric) { return metric_unit(metric, "fraction").has_value(); }

MetricValue parse_metric(std::string_view metric, std::string_view text) {
  const std::string units = expected_units(metric);
  if (units.empty()) {
    return {
        0,
        fmt::format(
            "unknown metric '{}', expected latency, l2_read_hit_rate, tflops, bandwidth, slowdown or speedup",
            metric)};
  }
  const std::string_view number = leading_decimal(text);
  std::string_view unit = text.substr(number.size());
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const std::optional<double> base = metric_unit(metric, unit);
  double value = 0;
  if (!base || !decimal_double(number, value) || value <= 0) {
    return {0, fmt::format("'{}', expected a positive number with one of {}", text, units)};
  }
  // Multiplied where the unit is the larger one, so that what is written in decimal stays exact to a
  // rounding.
  value = *base < 1 ? value / std::round(1 / *base) : value * *base;
  if (is_fraction(metric) && value > 1) return {0, fmt::format("'{}' is more than all of it", text)};
  return {value, ""};
}

}  // namespace a3sim
