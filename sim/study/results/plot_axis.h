#pragma once

#include <span>
#include <string>
#include <vector>

namespace a3sim {

struct PlotTick {
  double value = 0;
  std::string label;
};

// Values along a line of pixels, which may run backwards.
struct PlotAxis {
  bool log = false;
  double low = 0, high = 1;  // of the values at both ends
  double first_pixel = 0, last_pixel = 1;
  std::vector<PlotTick> ticks;  // within both ends, ascending
  double pixel(double value) const;
};

// An axis on which all `values` (at least one, finite) lie: logarithmic, with powers of two as ticks (of ten
// beyond a factor of 4096), where they are positive and span a factor of 8 or more; else from tick to tick of
// 1, 2 or 5 times a power of ten.
PlotAxis plot_axis(std::span<const double> values, double first_pixel, double last_pixel);

// An axis with a place for each name.
PlotAxis names_axis(const std::vector<std::string>& names, double first_pixel, double last_pixel);

}  // namespace a3sim
