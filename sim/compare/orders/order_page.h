#pragma once

#include "sim/compare/orders/order_comparison.h"
#include "traces/report/page/page.h"
#include "traces/report/report.h"

namespace a3sim {

// Returns a page about a tried order: `report`, made by order_report(), and timelines of the tried order
// and of the one that it is compared with on a common axis. Runs both once more, with task records and without jitter.
Page order_page(const Experiment& experiment, const OrderComparison& comparison, const Report& report,
                unsigned threads);

}  // namespace a3sim
