#include "sim/published/published_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sim/published/formula_verdict.h"
#include "sim/result/metrics/metric_unit.h"

namespace a3sim {
namespace {

// Returns the points of the default variant that the figure shows.
std::vector<const Comparison*> shown_by(const PublishedFigure& figure, const std::vector<Comparison>& all) {
  std::vector<const Comparison*> shown;
  for (const Comparison& comparison : all) {
    const Point& point = comparison.point;
    const auto matches = [&](const auto& item) {
      return point.coordinates.contains(item.key()) &&
             text_of(point.coordinates[item.key()]) == text_of(item.value());
    };
    const auto has = [&](const std::string& key) { return point.coordinates.contains(key); };
    const bool has_axes = std::ranges::all_of(figure.x, has) && (figure.series.empty() || has(figure.series));
    if (point.metric == figure.metric && point.variant.empty() && has_axes &&
        (figure.where.is_null() || std::ranges::all_of(figure.where.items(), matches)))
      shown.push_back(&comparison);
  }
  return shown;
}

// Joins a point's values of some coordinates to a name: "4096 × 7168 × 2048".
std::string name_of(const Point& point, const std::vector<std::string>& keys) {
  std::string name;
  for (const std::string& key : keys) name += (name.empty() ? "" : " × ") + text_of(point.coordinates[key]);
  return name;
}

std::vector<std::string> values_of(const std::vector<const Comparison*>& shown,
                                   const std::vector<std::string>& keys) {
  std::vector<std::string> values;
  for (const Comparison* comparison : shown) {
    const std::string text = name_of(comparison->point, keys);
    if (std::ranges::find(values, text) == values.end()) values.push_back(text);
  }
  return values;
}

FigurePoint predicted(double x, const Comparison& comparison, const ErrorBars& bars) {
  FigurePoint point = FigurePoint::at(x, comparison.point.value);
  const std::optional<ErrorBar> bar = bars ? bars(comparison.point) : std::nullopt;
  if (bar) std::tie(point.low, point.high) = std::pair(bar->low, bar->high);
  return point;
}

// Returns the published point; the other published values are its range.
FigurePoint published(double x, const Comparison& comparison) {
  const Reference& reference = comparison.reference.value();
  const double value = reference.in(comparison.point.unit);
  FigurePoint point = FigurePoint::at(x, value);
  for (const OtherValue& other : reference.spread) {
    const double there = other.value * value / reference.value;
    point.low = std::min(point.low, there);
    point.high = std::max(point.high, there);
  }
  return point;
}

// True if lines can be drawn over this coordinate.
bool are_numbers(const std::vector<const Comparison*>& shown, const std::string& key) {
  return std::ranges::all_of(shown,
                             [&](const Comparison* c) { return c->point.coordinates[key].is_number(); });
}

// `names` are those of all series of the table's figures, in the order of their colours.
Figure drawn(const PublishedFigure& published_figure, const std::vector<const Comparison*>& shown,
             const std::vector<std::string>& names, const ErrorBars& bars) {
  const Point& first = shown.front()->point;
  const std::vector<std::string> places = values_of(shown, published_figure.x);
  const bool lines = published_figure.lines && are_numbers(shown, published_figure.x.front());
  const bool has_published =
      std::ranges::any_of(shown, [](const Comparison* one) { return one->reference.has_value(); });
  const bool has_bars =
      std::ranges::any_of(shown, [&](const Comparison* one) { return bars && bars(one->point); });
  Figure figure;
  figure.title = published_figure.title;
  figure.legend = published_figure.series;
  std::vector<double> values, xs;
  for (std::size_t s = 0; s < names.size(); ++s) {
    const std::uint32_t color = names[s].empty() ? kInkColor : static_cast<std::uint32_t>(s);
    const FigureKind kind = lines ? FigureKind::kLine : FigureKind::kBars;
    FigureSeries ours{names[s].empty() ? "predicted" : names[s] + (has_published ? ", predicted" : ""),
                      kind,
                      color,
                      false,
                      {}};
    FigureSeries theirs{names[s].empty() ? "published" : names[s] + ", published", kind, color, true, {}};
    for (const Comparison* comparison : shown) {
      if (!published_figure.series.empty() &&
          text_of(comparison->point.coordinates[published_figure.series]) != names[s])
        continue;
      const std::string name = name_of(comparison->point, published_figure.x);
      const auto place = static_cast<double>(std::ranges::find(places, name) - places.begin());
      const double x = lines ? std::stod(name) : place;
      xs.push_back(x);
      ours.points.push_back(predicted(x, *comparison, bars));
      if (comparison->reference) theirs.points.push_back(published(x, *comparison));
    }
    for (FigureSeries* series : {&ours, &theirs}) {
      for (const FigurePoint& p : series->points) values.insert(values.end(), {p.y, p.low, p.high});
      if (!series->points.empty()) figure.series.push_back(std::move(*series));
    }
  }
  std::string x_name = fmt::format("{}", fmt::join(published_figure.x, " × "));
  if (x_name == "ep") x_name = "EP";
  const std::string y =
      first.metric == "speedup" ? "speed-up" : fmt::format("{}, {}", first.metric, first.unit);
  figure.x = lines ? figure_axis(x_name, xs) : names_axis(x_name, places);
  if (lines && figure.x.log) {
    figure.x.names = places;
    for (const std::string& place : places) figure.x.places.push_back(std::stod(place));
  }
  figure.y = lines ? figure_axis(y, values) : axis_from_zero(y, values);
  figure.origin =
      fmt::format("{}{}{}predicted{}{}", text_of_all(published_figure.where),
                  published_figure.where.is_null() ? "" : "; ", has_published ? "filled: " : "",
                  has_bars ? ", with its error bar" : "", has_published ? "; hollow: published" : "");
  return figure;
}

// Begin and end of something, for points that have both.
struct PublishedSpan {
  std::string name;
  const Comparison *start = nullptr, *end = nullptr;
};

std::vector<PublishedSpan> spans_in(const std::vector<Comparison>& comparisons) {
  std::vector<const Comparison*> times;
  for (const Comparison& comparison : comparisons) {
    const Point& point = comparison.point;
    if (point.variant.empty() && (point.metric == "start" || point.metric == "end"))
      times.push_back(&comparison);
  }
  // Coordinates that all have in common are left out of the names.
  std::vector<PublishedSpan> spans;
  for (const Comparison* const comparison : times) {
    std::string name;
    for (const auto& [key, value] : comparison->point.coordinates.items()) {
      const auto same = [&](const Comparison* other) {
        const auto& coordinates = other->point.coordinates;
        return coordinates.contains(key) && coordinates[key] == value;
      };
      if (std::ranges::all_of(times, same)) continue;
      name += name.empty() ? text_of(value) : fmt::format(", {} {}", key, text_of(value));
    }
    auto found = std::ranges::find(spans, name, &PublishedSpan::name);
    if (found == spans.end()) found = spans.insert(found, {name});
    (comparison->point.metric == "start" ? found->start : found->end) = comparison;
  }
  // Parts of an activity with its own span are drawn only if something was published about them.
  std::erase_if(spans, [](const PublishedSpan& span) {
    if (!span.start || !span.end || span.start->point.unit != span.end->point.unit) return true;
    return span.name.find(", ") != std::string::npos && !span.start->reference && !span.end->reference;
  });
  std::ranges::stable_sort(spans, {}, [](const PublishedSpan& span) { return span.start->point.value; });
  return spans;
}

// Plots published spans above predicted ones, the first at the top.
Figure spans_figure(const std::string& title, const std::vector<PublishedSpan>& spans) {
  Figure figure;
  figure.title = title;
  figure.origin = "filled: predicted; outlined: published";
  FigureSeries ours{"predicted", FigureKind::kSpans, kInkColor, false, {}}, theirs = ours;
  theirs.name = "published";
  theirs.hollow = true;
  std::vector<std::string> names;
  std::vector<double> times{0};
  const std::string& unit = spans.front().start->point.unit;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Comparison &start = *spans[i].start, &end = *spans[i].end;
    const auto place = static_cast<double>(spans.size() - 1 - i);
    names.insert(names.begin(), spans[i].name);
    ours.points.push_back({start.point.value, place, start.point.value, end.point.value});
    if (start.reference && end.reference) {
      const double from = start.reference->in(unit), to = end.reference->in(unit);
      theirs.points.push_back({from, place, from, to});
      times.push_back(to);
    }
    times.push_back(end.point.value);
  }
  figure.x = axis_from_zero(unit, times);
  figure.y = names_axis("", names);
  figure.series.push_back(std::move(ours));
  if (!theirs.points.empty()) figure.series.push_back(std::move(theirs));
  return figure;
}

// Plots the error of each prediction.
Figure errors_figure(const std::string& title, const std::vector<const Comparison*>& compared) {
  Figure figure;
  figure.title = title;
  figure.origin = "predicted less published, % of it; of shares, percentage points";
  FigureSeries& series = figure.series.emplace_back();
  series.kind = FigureKind::kBars;
  series.color = kInkColor;
  std::vector<std::string> names;
  std::vector<double> values;
  for (const Comparison* comparison : compared) {
    // A time of zero has no relative error.
    if (const double error = 100 * error_of(*comparison); std::isfinite(error)) {
      values.push_back(error);
      series.points.push_back(FigurePoint::at(static_cast<double>(names.size()), error));
    }
    names.push_back(fmt::format("{}", names.size() + 1));
  }
  figure.x = names_axis("numbers: the table below", names);
  values.push_back(0);
  figure.y = axis_from_zero("error, %", values);
  return figure;
}

// Returns the points of that figure, with its numbers.
Table errors_table(const std::vector<const Comparison*>& compared) {
  Table table({Column::count("number"),
               Column::words("case"),
               Column::words("unit"),
               {"predicted", "predicted", Form::kSignificant},
               {"published", "published", Form::kSignificant},
               Column::signed_percent("error")});
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const Comparison& comparison = *compared[i];
    table.add({whole(i + 1), text_of_all(comparison.point.coordinates) + ", " + comparison.point.metric,
               comparison.point.unit, comparison.point.value,
               comparison.reference.value().in(comparison.point.unit),
               std::isfinite(error_of(comparison)) ? Cell(error_of(comparison)) : Cell()});
  }
  return table;
}

// Returns a coordinate's values in the whole table, so that each has one colour in all figures.
std::vector<std::string> series_of(const PublishedFigure& figure,
                                   const std::vector<Comparison>& comparisons) {
  if (figure.series.empty()) return {""};
  std::vector<const Comparison*> with;
  for (const Comparison& comparison : comparisons) {
    if (comparison.point.variant.empty() && comparison.point.coordinates.contains(figure.series))
      with.push_back(&comparison);
  }
  return values_of(with, {figure.series});
}

// Returns the figure; or, if its bars are of more series than colours that can be told apart, one for each place,
// where the series stand side by side, the fastest first.
std::vector<Figure> figures_of(const PublishedFigure& figure, const std::vector<const Comparison*>& shown,
                               const std::vector<std::string>& names, const ErrorBars& bars) {
  constexpr std::size_t kMostColors = 7;
  if (figure.lines || figure.series.empty() || names.size() <= kMostColors)
    return {drawn(figure, shown, names, bars)};
  std::vector<Figure> figures;
  for (const std::string& place : values_of(shown, figure.x)) {
    std::vector<const Comparison*> there;
    for (const Comparison* one : shown)
      if (name_of(one->point, figure.x) == place) there.push_back(one);
    std::ranges::stable_sort(there, {}, [](const Comparison* one) { return one->point.value; });
    PublishedFigure facet = figure;
    facet.title = fmt::format("{}, {} {}", figure.title, fmt::join(figure.x, " × "), place);
    facet.x = {figure.series};
    facet.series.clear();
    figures.push_back(drawn(facet, there, {""}, bars));
  }
  return figures;
}

// Joins lines that were broken for a terminal: a page breaks them as its width wants. Short and indented lines stay.
std::string unbroken(const std::string& text) {
  constexpr std::size_t kBroken = 80;
  std::string joined;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    const bool goes_on = end + 1 < text.size() && text[end + 1] != ' ' && text[end + 1] != '\n';
    joined += text.substr(begin, end - begin);
    joined += end - begin >= kBroken && goes_on && text[begin] != ' ' ? ' ' : '\n';
    begin = end + 1;
  }
  return joined + text.substr(begin);
}

}  // namespace

void add_published(Page& page, const PublishedTable& table, const std::string& heading,
                   const std::vector<Comparison>& comparisons, const ErrorBars& bars) {
  PageBlocks blocks;
  blocks.say(unbroken(heading));
  blocks.table(verdict_of(comparisons).table());
  for (const PublishedFigure& figure : table.figures) {
    const std::vector<const Comparison*> shown = shown_by(figure, comparisons);
    if (shown.empty()) continue;
    for (const Figure& one : figures_of(figure, shown, series_of(figure, comparisons), bars))
      blocks.figure(one);
  }
  const std::vector<PublishedSpan> spans = spans_in(comparisons);
  if (!spans.empty()) blocks.figure(spans_figure("When stages run", spans));
  std::vector<const Comparison*> compared;
  for (const Comparison& comparison : comparisons) {
    if (comparison.reference && comparison.point.variant.empty()) compared.push_back(&comparison);
  }
  if (!compared.empty())
    blocks.figure(errors_figure("Errors, " + table.name, compared)).table(errors_table(compared));
  if (!table.notes.empty()) blocks.say(unbroken(table.notes));
  page.add(table.name, blocks);
  page.add("Points of " + table.name, PageBlocks().table(comparison_table(comparisons, bars)), true);
}

}  // namespace a3sim
