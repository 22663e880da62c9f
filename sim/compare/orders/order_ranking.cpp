#include "sim/compare/orders/order_ranking.h"

#include <algorithm>
#include <utility>

#include "sim/variation/noise.h"

namespace a3sim {

Report OrderRanking::report() const {
  std::vector<const Row*> sorted;
  for (const Row& row : rows) sorted.push_back(&row);
  std::ranges::stable_sort(sorted, {}, [](const Row* row) { return median_of(row->totals); });
  Report report;
  Table& table = report.table(
      "ranking", {Column::words("order"), Column::milliseconds("total ms", "total_ps"),
                  Column::signed_percent("to fastest", "to_fastest", 2), Column::words("").for_people()});
  for (const Row* row : sorted) {
    table.add({row->name, median_of(row->totals),
               relative_difference(row->totals, sorted.front()->totals).median,
               row == &rows.front() ? "tried" : ""});
  }
  return report;
}

OrderRanking ranking_of(std::span<const std::string> names, std::span<const Evaluated> evaluated,
                        std::string extent) {
  OrderRanking ranking{{}, std::move(extent)};
  for (std::size_t o = 0; o < names.size(); ++o) {
    if (!evaluated[o].passes.empty()) ranking.rows.push_back({names[o], evaluated[o].totals()});
  }
  return ranking;
}

}  // namespace a3sim
