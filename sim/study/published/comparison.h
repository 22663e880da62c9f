#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/published/evaluation.h"
#include "sim/study/published/reference.h"
#include "traces/report/table.h"

namespace a3sim {

// A predicted value beside the published one, where there is one.
struct Comparison {
  Point point;
  std::optional<Reference> reference;
};

// Each point beside what the table says was published about it. Only points of the default variant are
// compared. Throws InputError for a published value that was measured on other hardware than predicted, and
// where every case is wanted for one that nothing predicts.
std::vector<Comparison> compare(const PublishedTable& table, std::vector<Point> points,
                                const Wanted& wanted = {});

// How far the machine's uncertain values move a point, in its unit.
struct ErrorBar {
  double low = 0, high = 0;
  bool holds(double value) const { return low <= value && value <= high; }
  std::string text() const;  // "9.120..10.40"
};
// What is known of a point's error bar; none where it has none.
using ErrorBars = std::function<std::optional<ErrorBar>(const Point&)>;

// The relative error of the prediction, or for fractions the absolute one. There is a reference.
double error_of(const Comparison& comparison);
// The same of what the simplest formula says; none: it says nothing. There is a reference.
std::optional<double> formula_error_of(const Comparison& comparison);

// An array of objects: experiment, case, [variant], metric, unit, value, low and high of its error bar (or
// null), reference (or null), source (or null), formula (or null); [follows], where the reference follows from
// others; [use], where values are fitted to it or it is held out; [note]; [at_most], where the value is a bound.
nlohmann::ordered_json comparisons_json(const std::string& experiment,
                                        const std::vector<Comparison>& comparisons,
                                        const ErrorBars& bars = {});

// A line each: the case, what is predicted, what was published (with the spread of other published values),
// the error; the simplest formula's value and error where it says something about some; if bars are given the bar, and where the published value lies; the points' further columns.
Table comparison_table(const std::vector<Comparison>& comparisons, const ErrorBars& bars = {});

}  // namespace a3sim
