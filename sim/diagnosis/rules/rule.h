#pragma once

#include <string_view>
#include <vector>

#include "sim/core/registry.h"
#include "sim/diagnosis/rules/finding.h"
#include "sim/diagnosis/rules/rule_data.h"
#include "sim/diagnosis/rules/slowdown.h"
#include "sim/diagnosis/rules/steady_state.h"

namespace a3sim {

// A cause of lost time. Each cause is one file that registers itself by name; configs/advice/NAME.yaml holds
// its thresholds. A rule sees analysed records only: neither the configuration nor the injected faults.
class CauseRule {
 public:
  static constexpr std::string_view kKind = "cause";
  virtual ~CauseRule() = default;
  // Returns a finding, with place, share of the lag and evidence, for each place where the cause explains the
  // slowdown. The caller fills in the other fields: cause, steps, lost time, remedies, and causes ruled out.
  virtual std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const = 0;
  // Returns a finding, with place, lost time, share of it and evidence, for each place where the cause costs
  // time in every step. The default returns none: most causes show only as a change.
  virtual std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const;
};
inline std::vector<Finding> CauseRule::diagnose_steady_state(const SteadyState&, const RuleData&) const {
  return {};
}

using CauseRules = Registry<CauseRule>;

}  // namespace a3sim
