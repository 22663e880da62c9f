#include "sim/compare/orders/order_results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "sim/check/data_report.h"
#include "sim/core/error.h"
#include "sim/experiment/config/order_file.h"

namespace a3sim {

OrderResults check_results(const std::filesystem::path& config, std::span<const std::string> overrides,
                           const OrderSpec& order) {
  constexpr std::uint64_t kSeed = 1;
  for (const std::string& list : order.list_file) {
    if (!list.empty()) return {fmt::format("not checked: {} lists tasks of the whole shape", list), {}};
  }
  std::vector<DataCase> cases;
  try {
    cases = small_cases(config, overrides, kSeed);
  } catch (const InputError& error) {
    return {fmt::format("not checked: {}", error.what()), {}};
  }
  OrderResults results;
  std::set<std::string> own;  // passes that only their own operators can check
  for (DataCase& data_case : cases) {
    for (std::size_t p = 0; p < data_case.oracles.size(); ++p) {
      if (data_case.oracles[p] == Oracle::kWhole) own.insert(data_case.experiment.passes[p].name);
    }
    data_case.experiment = with_order(std::move(data_case.experiment), order);
    std::ranges::move(check_data(DataCheck(std::move(data_case), kSeed), {}).faults,
                      std::back_inserter(results.errors));
  }
  results.text = own.empty() ? "right, on real tensors at a small shape"
                             : fmt::format(
                                   "as without cutting, on real tensors at a small shape; whether the "
                                   "operators of {} do what they should is not checked: they are their own "
                                   "reference",
                                   fmt::join(own, ", "));
  return results;
}

}  // namespace a3sim
