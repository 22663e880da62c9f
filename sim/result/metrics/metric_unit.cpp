#include "sim/result/metrics/metric_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/core/config/decimal.h"

namespace a3sim {
namespace {

struct Unit {
  std::string_view metric, name;
  double base;   // base units in this unit
  double scale;  // of this unit in one of those that runs measure
};

constexpr Unit kUnits[] = {
    {"latency", "ns", 1e-9, 1e-3},
    {"latency", "us", 1e-6, 1e-6},
    {"latency", "ms", 1e-3, 1e-9},
    {"latency", "s", 1, 1e-12},
    {"launch_time", "us", 1e-6, 1e-6},
    {"launch_time", "ms", 1e-3, 1e-9},
    {"device_time", "us", 1e-6, 1e-6},
    {"device_time", "ms", 1e-3, 1e-9},
    {"total", "us", 1e-6, 1e-6},
    {"matmul", "us", 1e-6, 1e-6},
    {"allgather", "us", 1e-6, 1e-6},
    {"tflops", "GFLOPS", 1e9, 1e-9},
    {"tflops", "TFLOPS", 1e12, 1e-12},
    {"bandwidth", "GB/s", 1e9, 1e-9},
    {"bandwidth", "TB/s", 1e12, 1e-12},
    {"l2_read_hit_rate", "%", 0.01, 100},
    {"l2_read_hit_rate", "fraction", 1, 1},
    {"slowdown", "%", 0.01, 100},
    {"slowdown", "fraction", 1, 1},
    {"speedup", "x", 1, 1},
    {"token_straggler", "rows", 1, 1},
    {"rows_per_rank", "rows", 1, 1},
    {"gemm_straggler", "ms", 1e-3, 1e-9},
    {"overhead", "fraction", 1, 1},
    {"waste", "%", 0.01, 100},
    {"waste", "fraction", 1, 1},
    {"straggler_gain", "points", 0.01, 1},
    {"straggler_gain", "fraction", 1, 0.01},
    // Units of training steps.
    {"step_time", "s", 1, 1e-12},
    {"gpu_active", "s", 1, 1e-12},
    {"kernels", "count", 1, 1},
    {"tokens_per_second_per_package", "tokens/s", 1, 1},
    {"tokens_per_second_per_device", "tokens/s", 1, 1},
    {"model_tflops_per_gpu", "TFLOPS", 1, 1},
    {"peak_memory", "MB", 0x1p20, 0x1p-20},  // as Megatron counts them
    {"peak_memory", "GiB", 0x1p30, 0x1p-30},
    {"mac_ratio", "fraction", 1, 1},
    {"gmm_share", "fraction", 1, 1},
    {"vector_critical_path_share", "fraction", 1, 1},
    {"ep_share_total", "fraction", 1, 1},
    {"ep_share_exposed", "fraction", 1, 1},
    {"ep_hidden_fraction", "fraction", 1, 1},
    {"ep_exposed_fraction", "fraction", 1, 1},
    {"tp_dp_cp_exposed_share_at_most", "fraction", 1, 1},
    {"overlap_speedup", "x", 1, 1},
    {"step_speedup", "x", 1, 1},
    {"compile_speedup", "x", 1, 1},
    {"recompute_cost", "x", 1, 1},
    {"start", "us", 1e-6, 1e-6},
    {"end", "us", 1e-6, 1e-6},
    {"kernel", "us", 1e-6, 1e-6},
    {"overlap", "us", 1e-6, 1e-6},
    {"stage", "us", 1e-6, 1e-6},
    {"ep16_over_ep8", "ratio", 1, 1},
    {"separate_over_fused", "ratio", 1, 1},
    {"separate", "us", 1e-6, 1e-6},
    {"fused", "us", 1e-6, 1e-6},
    {"effective_bisection", "fraction", 1, 1},
    {"exchange_loss", "fraction", 1, 1},
    {"exchange_gain", "fraction", 1, 1},
};

const Unit* find_unit(std::string_view metric, std::string_view name) {
  const auto known = std::ranges::find_if(
      kUnits, [&](const Unit& unit) { return unit.metric == metric && unit.name == name; });
  return known == std::end(kUnits) ? nullptr : known;
}

std::string known_metrics() {
  std::vector<std::string_view> names;
  for (const Unit& unit : kUnits) {
    if (names.empty() || names.back() != unit.metric) names.push_back(unit.metric);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string expected_units(std::string_view metric) {
  std::string names;
  for (const Unit& unit : kUnits) {
    if (unit.metric == metric) names += fmt::format("{}{}", names.empty() ? "" : " ", unit.name);
  }
  return names;
}

}  // namespace

std::optional<double> metric_unit(std::string_view metric, std::string_view unit) {
  const Unit* known = find_unit(metric, unit);
  return known ? std::optional(known->base) : std::nullopt;
}

double in_unit(std::string_view metric, std::string_view unit, double amount) {
  const Unit* known = find_unit(metric, unit);
  if (!known) throw std::logic_error(fmt::format("{} in {}", metric, unit));
  return amount * known->scale;
}

bool is_fraction(std::string_view metric) { return metric_unit(metric, "fraction").has_value(); }

MetricValue parse_metric(std::string_view metric, std::string_view text) {
  const std::string units = expected_units(metric);
  if (units.empty()) {
    return {0, fmt::format("unknown metric '{}', expected one of {}", metric, known_metrics())};
  }
  const std::string_view number = leading_decimal(text);
  std::string_view unit = text.substr(number.size());
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const std::optional<double> base = metric_unit(metric, unit);
  double value = 0;
  const bool may_be_zero = metric == "start" || is_fraction(metric);  // start: of what begins first
  if (!base || !decimal_double(number, value) || value < 0 || (value == 0 && !may_be_zero)) {
    return {0, fmt::format("'{}', expected a positive number with one of {}", text, units)};
  }
  // Divides if the unit is smaller, so that decimal values stay exact up to one rounding.
  value = *base < 1 ? value / std::round(1 / *base) : value * *base;
  if (is_fraction(metric) && value > 1) return {0, fmt::format("'{}' is more than all of it", text)};
  return {value, ""};
}

}  // namespace a3sim
