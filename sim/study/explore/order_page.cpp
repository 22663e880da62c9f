#include "sim/study/explore/order_page.h"

#include <fmt/format.h>

#include "sim/experiment/configs_folder.h"
#include "sim/experiment/order_file.h"
#include "sim/study/summary/traced_passes.h"
#include "traces/report/page/run_section.h"

namespace a3sim {
namespace {

// Returns the shipped order of that name, or nullopt if there is no such file.
std::optional<OrderSpec> shipped_order(const std::string& name) {
  for (const std::filesystem::path& file : files_in(configs_folder() / "orders")) {
    OrderSpec order = read_order_file(file);
    if (order.name == name) return order;
  }
  return std::nullopt;
}

}  // namespace

Page order_page(const Experiment& experiment, const OrderSpec& order, const OrderComparison& comparison,
                const Report& report, unsigned threads) {
  Page page(experiment.name, fmt::format("order {} beside the shipped ones", order.name));
  page.add({{"kind", "try"}, {"title", "Orders"}, {"result", report.json()}});
  const TriedOrder* const best = comparison.best();
  const std::optional<OrderSpec> shipped =
      best && best->same_as != 0 ? shipped_order(best->name) : std::nullopt;
  std::vector<TracedPass> above;
  std::vector<NamedRun> shown;
  const std::uint32_t experts = experiment.shape.experts_per_rank;
  if (shipped) {
    above = traced_passes(with_order(experiment, *shipped), threads);
    shown.push_back({fmt::format("{}, the best shipped, as modelled", best->name), above, experts});
  }
  const std::vector<TracedPass> tried = traced_passes(with_order(experiment, order), threads);
  shown.push_back({fmt::format("{}, tried, as modelled", order.name), tried, experts});
  add_runs(page, shown);
  return page;
}

}  // namespace a3sim
