#pragma once

#include <string_view>
#include <vector>

#include "sim/core/registry.h"
#include "sim/diagnosis/rules/case.h"
#include "sim/diagnosis/rules/finding.h"
#include "sim/diagnosis/rules/rule_data.h"
#include "sim/diagnosis/rules/standing.h"

namespace a3sim {

// A cause; one file each, registered by its name, with configs/advice/NAME.yaml beside it. A rule sees what was located,
// the analyses and the observation, and knows nothing of configurations or of what was injected.
class CauseRule {
 public:
  static constexpr std::string_view kKind = "cause";
  virtual ~CauseRule() = default;
  // What speaks for the cause in a case: findings with place, confidence and evidence; else nothing. The rest (cause,
  // steps, time lost, remedies, what was ruled out) is filled in by who asks.
  virtual std::vector<Finding> judge(const Case& of, const RuleData& data) const = 0;
  // What every step loses by the cause, without another step to compare with: findings with place, time lost, confidence
  // and evidence; else nothing. Most causes are known by what changes alone.
  virtual std::vector<Finding> stands(const Standing& of, const RuleData& data) const;
};
inline std::vector<Finding> CauseRule::stands(const Standing&, const RuleData&) const { return {}; }

using CauseRules = Registry<CauseRule>;

}  // namespace a3sim
