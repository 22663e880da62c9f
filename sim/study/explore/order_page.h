#pragma once

#include "sim/study/explore/order_comparison.h"
#include "traces/report/page/page.h"
#include "traces/report/report.h"

namespace a3sim {

// A page of an order that was tried: `report`, what order_report() says, and timelines of the best shipped order and of the
// tried one, on one axis of time. Runs both once more, with each task's record and without random times.
Page order_page(const Experiment& experiment, const OrderSpec& order, const OrderComparison& comparison,
                const Report& report, unsigned threads);

}  // namespace a3sim
