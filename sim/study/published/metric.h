#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace a3sim {

// What can be predicted and published, and in which units it is written:
//   latency            ns us ms s
//   l2_read_hit_rate   fraction %
//   tflops             GFLOPS TFLOPS
//   bandwidth          GB/s TB/s

// How many of the metric's base unit (s, 1, FLOPS, B/s) one of `unit` is; none if the unit is not one of the
// metric's, or the metric is unknown.
std::optional<double> metric_unit(std::string_view metric, std::string_view unit);

// Whether the metric is a share of something, so that its errors are told in percentage points.
bool is_fraction(std::string_view metric);

// `10.2 ms`, `62.3 %` in the metric's base unit. On failure `error` says what was expected.
struct MetricValue {
  double value = 0;
  std::string error;  // empty: `value` is good
};
MetricValue parse_metric(std::string_view metric, std::string_view text);

}  // namespace a3sim
