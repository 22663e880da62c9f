#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace a3sim {

// What can be predicted and published, and in which units it is written, stands in a table of metric.cpp:
// latency in ns, us, ms, s; tflops in GFLOPS, TFLOPS; bandwidth in GB/s, TB/s; and so on.

// How many of the metric's base unit (s, 1, FLOPS, B/s) one of `unit` is; none if the unit is not one of the
// metric's, or the metric is unknown.
std::optional<double> metric_unit(std::string_view metric, std::string_view unit);

// What a run was measured to be (ps, FLOPS, B/s, or a part of 1) in one of the metric's units.
double in_unit(std::string_view metric, std::string_view unit, double amount);

// Whether the metric is a share of something, so that its errors are told in percentage points.
bool is_fraction(std::string_view metric);

// `10.2 ms`, `62.3 %` in the metric's base unit. On failure `error` says what was expected.
struct MetricValue {
  double value = 0;
  std::string error;  // empty: `value` is good
};
MetricValue parse_metric(std::string_view metric, std::string_view text);

}  // namespace a3sim
