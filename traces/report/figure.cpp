#include "traces/report/figure.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

namespace a3sim {
namespace {

constexpr double kLogSpan = 8, kPadding = 0.04;

nlohmann::ordered_json axis_json(const FigureAxis& axis) {
  return {{"name", axis.name}, {"log", axis.log},       {"truncated", axis.truncated}, {"low", axis.low},
          {"high", axis.high}, {"places", axis.places}, {"names", axis.names}};
}

nlohmann::ordered_json series_json(const FigureSeries& series) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const FigurePoint& p : series.points) points.push_back({p.x, p.y, p.low, p.high});
  return {{"name", series.name},
          {"kind", name_of(series.kind)},
          {"color", series.color},
          {"hollow", series.hollow},
          {"points", std::move(points)}};
}

// True for three or more values that are each a power of two times the least, as sizes and numbers of ranks
// often are.
bool are_doublings(std::vector<double> values) {
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  if (values.size() < 3 || values.front() <= 0) return false;
  const auto doubled = [&](double value) {
    const double times = std::log2(value / values.front());
    return times == std::round(times);
  };
  return std::ranges::all_of(values, doubled);
}

}  // namespace

FigureAxis figure_axis(std::string name, const std::vector<double>& values) {
  FigureAxis axis;
  axis.name = std::move(name);
  std::tie(axis.low, axis.high) = std::pair(std::ranges::min(values), std::ranges::max(values));
  if (axis.low > 0 && (axis.high / axis.low >= kLogSpan || are_doublings(values))) {
    const double padding = std::pow(axis.high / axis.low, kPadding);
    axis.log = true;
    axis.low /= padding;
    axis.high *= padding;
    return axis;
  }
  // The axis begins at zero if that is near; else it leaves some room below the least value. Values that
  // differ only in their last digits count as one.
  const double size = std::max(std::abs(axis.low), std::abs(axis.high));
  const double span = axis.high - axis.low > 1e-9 * size ? axis.high - axis.low : std::max(1e-12, size / 5);
  axis.truncated = axis.low > 0 && axis.low >= axis.high / 2;
  axis.high += kPadding * span;
  axis.low = axis.low >= 0 && !axis.truncated ? 0 : axis.low - kPadding * span;
  return axis;
}

FigureAxis axis_from_zero(std::string name, const std::vector<double>& values) {
  const double least = std::min(0.0, std::ranges::min(values)),
               most = std::max(0.0, std::ranges::max(values));
  const double padding = most > least ? kPadding * (most - least) : 1;
  return {std::move(name), false, false, least < 0 ? least - padding : 0, most + padding, {}, {}};
}

FigureAxis names_axis(std::string name, const std::vector<std::string>& names) {
  FigureAxis axis{std::move(name), false, false, -0.5, static_cast<double>(names.size()) - 0.5, {}, names};
  for (std::size_t i = 0; i < names.size(); ++i) axis.places.push_back(static_cast<double>(i));
  return axis;
}

nlohmann::ordered_json figure_json(const Figure& figure) {
  nlohmann::ordered_json json{{"title", figure.title},     {"origin", figure.origin},
                              {"legend", figure.legend},   {"x", axis_json(figure.x)},
                              {"y", axis_json(figure.y)},  {"color", axis_json(figure.color)},
                              {"stacked", figure.stacked}, {"key", figure.key}};
  for (const char* list : {"series", "cells", "links", "marks"}) json[list] = nlohmann::ordered_json::array();
  for (const FigureSeries& series : figure.series) json["series"].push_back(series_json(series));
  for (const FigureCell& cell : figure.cells) json["cells"].push_back({cell.x, cell.y, cell.value});
  for (const FigureLink& link : figure.links)
    json["links"].push_back({{"from", {link.x1, link.y1}},
                             {"to", {link.x2, link.y2}},
                             {"value", link.value},
                             {"name", link.name}});
  for (const FigureMark& mark : figure.marks)
    json["marks"].push_back({{"x", mark.x}, {"y", mark.y}, {"text", mark.text}});
  return json;
}

}  // namespace a3sim
