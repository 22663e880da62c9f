#include "sim/study/results/plot_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace a3sim {
namespace {

constexpr double kLogSpan = 8;
// Powers of two beyond this have labels that nobody knows by heart.
constexpr double kDecadeSpan = 4096;
constexpr int kMostIntervals = 6;
// Left free at both ends of a logarithmic axis, as a share of its length.
constexpr double kPadding = 0.04;

std::string tick_label(double value) { return fmt::format("{:.6g}", value); }

// The smallest of 1, 2, 5 times a power of ten that needs no more than kMostIntervals.
double round_step(double span) {
  const double power = std::pow(10, std::floor(std::log10(span / kMostIntervals)));
  for (const double factor : {1, 2, 5}) {
    if (span <= factor * power * kMostIntervals) return factor * power;
  }
  return 10 * power;
}

PlotAxis linear_axis(double low, double high) {
  if (low == high) {
    const double around = low == 0 ? 1 : std::abs(low) / 10;
    low -= around;
    high += around;
  }
  // Where zero is near, the axis begins there.
  if (low > 0 && low < high / 2) low = 0;
  const double step = round_step(high - low);
  const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  PlotAxis axis{false, first * step, last * step, 0, 0, {}};
  for (double i = first; i <= last; ++i) axis.ticks.push_back({i * step, tick_label(i * step)});
  return axis;
}

PlotAxis log_axis(double low, double high) {
  const double padding = std::pow(high / low, kPadding);
  PlotAxis axis{true, low / padding, high * padding, 0, 0, {}};
  const double base = high / low > kDecadeSpan ? 10 : 2;
  const int first = static_cast<int>(std::ceil(std::log(axis.low) / std::log(base) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log(axis.high) / std::log(base) + 1e-9));
  const int step = 1 + (last - first) / 8;
  for (int i = first; i <= last; i += step)
    axis.ticks.push_back({std::pow(base, i), tick_label(std::pow(base, i))});
  return axis;
}

}  // namespace

double PlotAxis::pixel(double value) const {
  const double share = log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return first_pixel + share * (last_pixel - first_pixel);
}

PlotAxis plot_axis(std::span<const double> values, double first_pixel, double last_pixel) {
  const auto [low, high] = std::ranges::minmax(values);
  PlotAxis axis = low > 0 && high / low >= kLogSpan ? log_axis(low, high) : linear_axis(low, high);
  axis.first_pixel = first_pixel;
  axis.last_pixel = last_pixel;
  return axis;
}

PlotAxis names_axis(const std::vector<std::string>& names, double first_pixel, double last_pixel) {
  PlotAxis axis{false, -0.5, static_cast<double>(names.size()) - 0.5, first_pixel, last_pixel, {}};
  for (std::size_t i = 0; i < names.size(); ++i) axis.ticks.push_back({static_cast<double>(i), names[i]});
  return axis;
}

}  // namespace a3sim
