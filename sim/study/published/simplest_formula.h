#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "sim/experiment/serial_roofline.h"
#include "sim/study/metrics/metric.h"
#include "sim/study/published/published_table.h"

namespace a3sim {

// What stands beside each prediction: configs/reference/formula.yaml.
struct SimplestFormula {
  std::string rule;  // in words
  // By a machine's software, the part of the cubes' peak that products are said to reach.
  std::map<std::string, double, std::less<>> products;

  // Of these configurations, or the shipped one where they have none. Throws InputError with all that is wrong with the
  // file.
  static SimplestFormula read(const std::filesystem::path& configs);
  // The part on a machine; 1 where the file says nothing of its software.
  double part_of_peak(const Hardware& hardware) const;
};

// What a metric is by the formula: of what a run came to with the formula's time instead of its own. `other`: the time
// of the case that it is compared with. None: the formula says nothing about the metric.
std::optional<double> formula_value(const Metric& metric, const std::string& name, MetricAmount amount,
                                    Duration time, std::optional<Duration> other);

}  // namespace a3sim
