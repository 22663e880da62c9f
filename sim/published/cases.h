#pragma once

#include <string>
#include <vector>

#include "sim/published/evaluation.h"

namespace a3sim {

// Questions that evaluations of `runs` ask about a table's cases.

// Returns the case's own metrics, or else the table's.
const std::vector<PublishedMetric>& metrics_of(const PublishedTable& table, const PublishedCase& one);
// True if the selection has the case, or one of its passes. Variants that set what the scenario sets are not wanted.
bool is_wanted(const PublishedCase& one, const Scenario& scenario, const CaseSelection& wanted);
// Returns the coordinates, with the pass in its column's place.
nlohmann::ordered_json coordinates_of(const PublishedTable& table, const PublishedCase& one,
                                      const std::string& pass);
// Returns what a case is compared with as a case, if that is none of the table's.
PublishedCase over_of(const PublishedTable& table, const PublishedCase& one);

// Predicts a table whose experiments are measured by samples (ExperimentWork::sample): means over all samples, with their
// intervals.
Predictions run_samples(const PublishedTable& table, const Scenario& scenario, const CaseSelection& wanted);

}  // namespace a3sim
