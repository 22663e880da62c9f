#include "sim/study/published/formula_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace a3sim {

void MeanError::add(double error) {
  ++points;
  sum += std::abs(error);
  largest = std::max(largest, std::abs(error));
}

std::optional<bool> FormulaVerdict::half() const {
  if (compared.points == 0) return {};
  return 2 * compared.mean() <= by_formula.mean();
}

std::optional<bool> FormulaVerdict::better() const {
  if (compared.points == 0) return {};
  return compared.mean() < by_formula.mean();
}

std::string FormulaVerdict::text(const std::string& lacks) const {
  if (compared.points == 0) return {};
  const std::string errors = fmt::format("mean error {:.1f} %, the formula's {:.1f} %, of {} points",
                                         100 * compared.mean(), 100 * by_formula.mean(), compared.points);
  if (*half()) return fmt::format("Better than the simplest formula: {}.\n", errors);
  return fmt::format("{} the simplest formula: {}. {}\n",
                     *better() ? "Less than twice as good as" : "NOT better than", errors,
                     lacks.empty() ? "What is lacking is not known." : "Lacking: " + lacks);
}

FormulaVerdict verdict_of(const std::vector<Comparison>& comparisons) {
  FormulaVerdict verdict;
  for (const Comparison& one : comparisons) {
    if (!one.reference || one.reference->follows || !one.point.variant.empty()) continue;
    verdict.predicted.add(error_of(one));
    const std::optional<double> formula = formula_error_of(one);
    if (!formula) continue;
    verdict.compared.add(error_of(one));
    verdict.by_formula.add(*formula);
  }
  return verdict;
}

}  // namespace a3sim
