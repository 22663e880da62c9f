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

// The relative error of the prediction, or for fractions the absolute one. There is a reference.
double error_of(const Comparison& comparison);

// An array of objects: experiment, case, [variant], metric, unit, value, reference (or null), source (or
// null).
nlohmann::ordered_json comparisons_json(const std::string& experiment,
                                        const std::vector<Comparison>& comparisons);

// What stands in a point's line for its error bar.
using IntervalText = std::function<std::string(const Point&)>;

// A line each: the case, what is predicted, what was published (with the spread of other published values),
// the error, its error bar if given, and the points' further columns.
Table comparison_table(const std::vector<Comparison>& comparisons, const IntervalText& interval = {});

}  // namespace a3sim
