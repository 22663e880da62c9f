#include "sim/published/formula_verdict.h"

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
  std::string text;
  if (compared.points > 0) {
    const std::string errors = fmt::format("mean error {:.1f} %, the formula's {:.1f} %, of {} points",
                                           100 * compared.mean(), 100 * by_formula.mean(), compared.points);
    text = *half() ? fmt::format("Better than the simplest formula: {}.\n", errors)
                   : fmt::format("{} the simplest formula: {}. {}\n",
                                 *better() ? "Less than twice as good as" : "NOT better than", errors,
                                 lacks.empty() ? "What is lacking is not known." : "Lacking: " + lacks);
  }
  const auto percent = [](const MeanError& error) {
    return fmt::format("{:.1f} % (largest {:.1f} %) of {}", 100 * error.mean(), 100 * error.largest,
                       error.points);
  };
  if (fitted.points > 0)
    text += fmt::format("Points that values are fitted to: mean error {}; ", percent(fitted));
  if (fitted.points > 0)
    text += held_out.points > 0 ? fmt::format("held out: {}.\n", percent(held_out)) : "none is held out.\n";
  return text;
}

Table FormulaVerdict::table() const {
  struct Row {
    const char* what;
    const MeanError& error;
  };
  Table table({Column::words("errors"), Column::count("points"), Column::percent("mean error", ""),
               Column::percent("largest", "")});
  for (const auto& [what, error] :
       {Row{"all published values", predicted}, Row{"values are fitted to", fitted},
        Row{"held out", held_out}, Row{"where the formula says something", compared},
        Row{"the formula there", by_formula}}) {
    if (error.points > 0) table.add({what, whole(error.points), error.mean(), error.largest});
  }
  return table;
}

FormulaVerdict verdict_of(const std::vector<Comparison>& comparisons) {
  FormulaVerdict verdict;
  for (const Comparison& one : comparisons) {
    if (!one.reference || one.reference->follows || !one.point.variant.empty()) continue;
    const double error = error_of(one);
    if (!std::isfinite(error)) continue;  // a time of zero has no relative error
    verdict.predicted.add(error);
    if (one.reference->use == Use::kCalibration) verdict.fitted.add(error);
    if (one.reference->use == Use::kHeldOut) verdict.held_out.add(error);
    const std::optional<double> formula = formula_error_of(one);
    if (!formula) continue;
    verdict.compared.add(error);
    verdict.by_formula.add(*formula);
  }
  return verdict;
}

}  // namespace a3sim
