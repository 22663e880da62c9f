#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "sim/published/published_figure.h"
#include "sim/result/metrics/metric_unit.h"

namespace a3sim {
namespace {

bool is_time(const std::string& unit) { return unit == "us" || unit == "ms" || unit == "s"; }

// A place of a figure: its points, the fastest first.
struct FigurePlace {
  std::string name;
  std::vector<const Comparison*> points;
};

bool lies_in(const PublishedFigure& figure, const Point& point) {
  const auto has = [&](const std::string& key) { return point.coordinates.contains(key); };
  if (!point.variant.empty() || point.metric != figure.metric || !is_time(point.unit) || !has(figure.series))
    return false;
  if (!std::ranges::all_of(figure.x, has)) return false;
  return figure.where.is_null() || std::ranges::all_of(figure.where.items(), [&](const auto& item) {
           return has(item.key()) && text_of(point.coordinates[item.key()]) == text_of(item.value());
         });
}

std::vector<FigurePlace> places_of(const PublishedFigure& figure,
                                   const std::vector<Comparison>& comparisons) {
  std::vector<FigurePlace> places;
  for (const Comparison& one : comparisons) {
    if (!lies_in(figure, one.point)) continue;
    std::string name = figure.title;
    for (const std::string& key : figure.x)
      name += fmt::format(", {} {}", key, text_of(one.point.coordinates[key]));
    auto place = std::ranges::find(places, name, &FigurePlace::name);
    if (place == places.end()) place = places.insert(place, {name, {}});
    place->points.push_back(&one);
  }
  std::erase_if(places, [](const FigurePlace& place) { return place.points.size() < 2; });
  for (FigurePlace& place : places)
    std::ranges::stable_sort(place.points, {}, [](const Comparison* one) { return one->point.value; });
  return places;
}

std::string winners_text(const std::map<std::string, std::size_t>& wins, std::size_t series,
                         std::size_t places) {
  std::vector<std::pair<std::string, std::size_t>> sorted(wins.begin(), wins.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, std::size_t>::second);
  std::string text = fmt::format("{} is the fastest of {} in {} of {} cases", sorted.front().first, series,
                                 sorted.front().second, places);
  for (std::size_t i = 1; i < sorted.size(); ++i)
    text += fmt::format(", {} in {}", sorted[i].first, sorted[i].second);
  return text + '.';
}

}  // namespace

FastestSeries fastest_series(const PublishedTable& table, const std::vector<Comparison>& comparisons) {
  if (std::ranges::any_of(comparisons, [](const Comparison& one) { return one.reference.has_value(); }))
    return {};
  std::vector<std::vector<FigurePlace>> figures;
  std::map<std::string, std::size_t> wins;
  std::set<std::string> all;
  std::size_t places = 0;
  std::string first, unit;
  for (const PublishedFigure& figure : table.figures) {
    if (figure.series.empty()) continue;
    const auto series_name = [&](const Comparison* one) {
      return text_of(one->point.coordinates[figure.series]);
    };
    for (const FigurePlace& place : figures.emplace_back(places_of(figure, comparisons))) {
      ++wins[series_name(place.points.front())];
      for (const Comparison* const one : place.points) all.insert(series_name(one));
      ++places;
    }
    const auto begin =
        std::ranges::find_if(comparisons, [&](const Comparison& one) { return lies_in(figure, one.point); });
    if (first.empty() && begin != comparisons.end())
      std::tie(first, unit) = std::pair(series_name(&*begin), begin->point.unit);
  }
  if (places == 0) return {};
  const auto amount = [](std::string head) { return Column{std::move(head), "", Form::kSignificant}; };
  FastestSeries fastest{
      Table({Column::words("case"), Column::words("fastest"), amount("its " + unit), Column::words("next"),
             amount("next " + unit), amount(fmt::format("{} {}", first, unit)),
             Column::number("times faster than it", "", 2)}),
      winners_text(wins, all.size(), places)};
  std::size_t nth = 0;
  for (const PublishedFigure& figure : table.figures) {
    if (figure.series.empty()) continue;
    const auto series_name = [&](const Comparison* one) {
      return text_of(one->point.coordinates[figure.series]);
    };
    for (const FigurePlace& place : figures[nth++]) {
      const Comparison &best = *place.points[0], &next = *place.points[1];
      const auto base = std::ranges::find(place.points, first, series_name);
      const bool has_base = base != place.points.end();
      fastest.cases.add({place.name, series_name(&best), best.point.value, series_name(&next),
                         next.point.value, has_base ? Cell((*base)->point.value) : Cell(),
                         has_base ? Cell((*base)->point.value / best.point.value) : Cell()});
    }
  }
  return fastest;
}

}  // namespace a3sim
