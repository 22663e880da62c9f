#include "sim/compare/orders/order_page.h"

#include <fmt/format.h>

#include "sim/experiment/config/order_file.h"
#include "sim/result/run_subtitle.h"
#include "sim/result/traced_passes.h"
#include "traces/report/page/run_section.h"

namespace a3sim {

Page order_page(const Experiment& experiment, const OrderComparison& comparison, const Report& report,
                unsigned threads) {
  const TriedOrder &tried = comparison.tried(), *const other = comparison.against();
  Page page(fmt::format("order {} on {}", tried.name, experiment.name),
            fmt::format("compared with the shipped orders\n{}", subtitle_of(experiment)));
  page.add({{"kind", "try"}, {"title", "Orders"}, {"result", report.json()}});
  const std::uint32_t experts = experiment.shape.experts_per_rank;
  std::vector<TracedPass> above;
  std::vector<NamedRun> shown;
  if (other && other->same_as != 0) {
    above = traced_passes(with_order(experiment, other->spec), threads);
    const char* const which = comparison.asked_for ? "" : " (best shipped)";
    shown.push_back({other->name + which, above, experts});
  }
  const std::vector<TracedPass> of_tried = traced_passes(with_order(experiment, tried.spec), threads);
  shown.push_back({tried.name + " (tried)", of_tried, experts});
  add_runs(page, shown);
  return page;
}

}  // namespace a3sim
