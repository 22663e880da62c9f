#pragma once

#include <string>
#include <vector>

#include "sim/published/comparison.h"
#include "traces/report/page/page.h"

namespace a3sim {

// Adds a table as a section of a page: figures with predictions (filled, with error bars) and published
// values (hollow), the error of each prediction, and all points.
void add_published(Page& page, const PublishedTable& table, const std::string& heading,
                   const std::vector<Comparison>& comparisons, const ErrorBars& bars);

// Where nothing is published to compare with, a table's answer is which series of its figures takes the least time.
struct FastestSeries {
  // A row for each place of each figure of times: the fastest series, the next one, and the first one.
  Table cases{std::vector<Column>{}};
  // "searched is the fastest of 15 in 8 of 11 cases, megamoe in 3." Empty if it is not such a table.
  std::string text{};
};
FastestSeries fastest_series(const PublishedTable& table, const std::vector<Comparison>& comparisons);

}  // namespace a3sim
