#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/published/evaluation.h"
#include "sim/published/reference.h"
#include "traces/report/table.h"

namespace a3sim {

// A predicted value and the published one, if there is one.
struct Comparison {
  Point point;
  std::optional<Reference> reference;
};

// Pairs each point with what the table says was published about it. Only points of the default variant are
// compared. Throws InputError if a published value was measured on other hardware than predicted, or, if
// all cases are wanted, if nothing predicts a published value.
std::vector<Comparison> compare(const PublishedTable& table, std::vector<Point> points,
                                const CaseSelection& wanted = {});

// An error bar: the range of a point, in its unit, for uncertain values of the machine.
struct ErrorBar {
  double low = 0, high = 0;
  bool holds(double value) const { return low <= value && value <= high; }
  std::string text() const;  // "9.120..10.40"
};
// Returns the error bar of a point, or nullopt if it has none.
using ErrorBars = std::function<std::optional<ErrorBar>(const Point&)>;

// Returns the relative error of the prediction; for fractions the absolute one. Needs a reference.
double error_of(const Comparison& comparison);
// Returns the same error of the simplest formula, or nullopt if the formula gives no value. Needs a
// reference.
std::optional<double> formula_error_of(const Comparison& comparison);

// Returns an array of objects: experiment, case, [variant], metric, unit, value, low and high of its error
// bar, reference, source and formula (null if unknown), [follows] if the reference follows from others,
// [use] if it is fitted to or held out, [note].
nlohmann::ordered_json comparisons_json(const std::string& experiment,
                                        const std::vector<Comparison>& comparisons,
                                        const ErrorBars& bars = {});

// Returns "ep 4, pass forward: latency 10.20 ms, published 10.2 (-0.2 %)", without the end if nothing is published.
std::string comparison_line(const Comparison& comparison);

// Returns a row for each comparison: the case, the prediction, the published value (with the spread of
// other published ones) and the error; the simplest formula's value and error, if it gives any; the error
// bar and where the published value lies in it, if bars are given; the points' further columns.
Table comparison_table(const std::vector<Comparison>& comparisons, const ErrorBars& bars = {});

}  // namespace a3sim
