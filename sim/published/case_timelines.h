#pragma once

#include "sim/published/evaluation.h"
#include "traces/report/page/page.h"

namespace a3sim {

// Adds the timelines of the cases that a table says (PublishedTable::timelines), one below the other: runs each of them once
// more, with records. Adds nothing where it says none.
void add_case_timelines(Page& page, const PublishedTable& table, const Scenario& scenario);

}  // namespace a3sim
