#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace a3sim {

// Metrics that can be predicted and published, with their units, as metric.cpp lists them: latency in ns,
// us, ms, s; tflops in GFLOPS, TFLOPS; bandwidth in GB/s, TB/s; and so on.

// Returns how many base units of the metric (s, 1, FLOPS, B/s) one `unit` is. Returns nullopt if the metric
// is unknown or does not have this unit.
std::optional<double> metric_unit(std::string_view metric, std::string_view unit);

// Converts an amount (ps, FLOPS, B/s, or a part of 1) to a unit of the metric.
double in_unit(std::string_view metric, std::string_view unit, double amount);

// True if the metric is a share. Its errors are given in percentage points.
bool is_fraction(std::string_view metric);

// A value such as `10.2 ms` or `62.3 %`, in the metric's base unit.
struct MetricValue {
  double value = 0;
  std::string error;  // says what was expected; empty: `value` is valid
};
MetricValue parse_metric(std::string_view metric, std::string_view text);

}  // namespace a3sim
