#pragma once

#include <string>
#include <vector>

#include "sim/check/data_report.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

inline constexpr std::uint64_t kDataSeed = 1;

// Returns the small cases of a shipped experiment under overrides.
inline std::vector<DataCase> shipped_cases(const std::string& experiment,
                                           const std::vector<std::string>& overrides = {}) {
  return small_cases(configs_folder() / "experiments" / (experiment + ".yaml"), overrides, kDataSeed);
}

// Returns all errors of all small cases, without delays and under the adversary.
inline std::vector<std::string> wrong(const std::vector<DataCase>& cases, const Adversary& adversary = {}) {
  std::vector<std::string> faults;
  for (const DataCase& data_case : cases) {
    const std::vector<std::string> found = check_data(DataCheck(data_case, kDataSeed), adversary).faults;
    faults.insert(faults.end(), found.begin(), found.end());
  }
  return faults;
}

}  // namespace a3sim
