#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/published/reference.h"
#include "sim/study/published/reproduction.h"
#include "traces/report/table.h"

namespace a3sim {

// A predicted value beside the published one, where there is one.
struct Comparison {
  Point point;
  std::optional<Reference> reference;
};

// Looks up configs/reference/NAME.yaml; an experiment without that file has nothing published. Only points of
// the default variant are compared.
// Throws InputError for a wrong file, for a published value in another unit's metric or measured on other
// hardware than predicted, and where the setting wants every case for one that nothing predicts.
std::vector<Comparison> compare(const std::string& experiment, const Setting& setting,
                                std::vector<Point> points);

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
