#pragma once

#include <string>
#include <vector>

#include "sim/study/published/comparison.h"
#include "traces/report/page/page.h"

namespace a3sim {

// A table as a section of a page: its figures, predicted (filled, with error bars) beside published (hollow);
// how far each prediction is off; all its points.
void add_published(Page& page, const PublishedTable& table, const std::string& heading,
                   const std::vector<Comparison>& comparisons, const ErrorBars& bars);

}  // namespace a3sim
