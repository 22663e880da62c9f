#include "traces/report/page/operator_colors.h"

#include <algorithm>

namespace a3sim {

OperatorColors::OperatorColors(std::span<const NamedRun> runs) {
  for (const NamedRun& run : runs) {
    for (const TracedPass& pass : run.passes) {
      std::vector<std::string>& names = names_[pass.name];
      for (const TraceOperator& op : pass.trace.operators) {
        if (std::ranges::find(names, op.name) == names.end()) names.push_back(op.name);
      }
    }
  }
}

std::uint32_t OperatorColors::of(const std::string& pass, const std::string& op) const {
  const std::vector<std::string>& names = names_.at(pass);
  return static_cast<std::uint32_t>(std::ranges::find(names, op) - names.begin());
}

}  // namespace a3sim
