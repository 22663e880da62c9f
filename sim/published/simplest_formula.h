#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "sim/experiment/metric.h"
#include "sim/experiment/run/serial_roofline.h"
#include "sim/published/published_table.h"

namespace a3sim {

// The formula whose value stands beside each prediction: configs/reference/formula.yaml.
struct SimplestFormula {
  std::string rule;  // in words
  // The share of the cubes' peak that products reach, by the machine's software.
  std::map<std::string, double, std::less<>> products;

  // Reads the file of these configurations, or the shipped one if they have none. Throws InputError with
  // all that is wrong in it.
  static SimplestFormula read(const std::filesystem::path& configs);
  // Returns the share for a machine; 1 if the file does not name its software.
  double part_of_peak(const Hardware& hardware) const;
};

// Returns the metric of a run, or of an operator in it, that takes the formula's `time` instead of its own. `other` is the formula's
// time of the case that it is compared with. nullopt: the formula does not give this metric.
std::optional<double> formula_value(const Metric& metric, const std::string& name, MetricAmount amount,
                                    Duration time, std::optional<Duration> other);

}  // namespace a3sim
