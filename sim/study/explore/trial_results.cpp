#include <fmt/format.h>

#include "sim/core/error.h"
#include "sim/study/data/data_report.h"
#include "sim/study/explore/trial.h"

namespace a3sim {

void check_results(const std::filesystem::path& config, std::span<const std::string> overrides,
                   const OrderSpec& order, Trial& trial) {
  constexpr std::uint64_t kSeed = 1;
  for (const std::string& list : order.list_file) {
    if (list.empty()) continue;
    trial.results = fmt::format("not checked: {} lists tasks of the whole shape", list);
    return;
  }
  std::vector<DataCase> cases;
  try {
    cases = small_cases(config, overrides, kSeed);
  } catch (const InputError& error) {
    trial.results = fmt::format("not checked: {}", error.what());
    return;
  }
  for (DataCase& of : cases) {
    std::vector<std::string> elsewhere = std::move(of.experiment.order.elsewhere);
    of.experiment.order = order;
    of.experiment.order.elsewhere = std::move(elsewhere);
    const DataFindings findings = check_data(DataCheck(std::move(of), kSeed), {});
    trial.findings.errors.insert(trial.findings.errors.end(), findings.faults.begin(), findings.faults.end());
  }
  trial.results = "right, on real tensors at a small shape";
}

}  // namespace a3sim
