#pragma once

#include <string>
#include <vector>

#include "sim/study/published/comparison.h"
#include "traces/report/page/page.h"

namespace a3sim {

// Adds a table as a section of a page: figures with predictions (filled, with error bars) and published
// values (hollow), the error of each prediction, and all points.
void add_published(Page& page, const PublishedTable& table, const std::string& heading,
                   const std::vector<Comparison>& comparisons, const ErrorBars& bars);

}  // namespace a3sim
