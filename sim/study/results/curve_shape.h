#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/core/enum_names.h"

namespace a3sim {

enum class Shape : std::uint8_t {
  kNone,
  kKnee,     // two lines that meet, of which one is about level
  kOptimum,  // least or most inside, not at an end
  kStep      // two levels
};
constexpr auto names_of(Shape) {
  return std::to_array<std::string_view>({"none", "knee", "optimum", "step"});
}

// What a metric does along an axis.
struct CurveShape {
  Shape shape = Shape::kNone;
  std::string why;          // of kNone
  double from = 0, to = 0;  // on the axis: the step lies between them; both the place of the knee or optimum
  // Relative changes: -0.4 is a fall by 40 %. From the first value up to the place, and from there to the last;
  // of a step from one level to the other, and none behind it.
  double before = 0, after = 0;
};

// The shape of `y` over increasing `x`: of a line, two levels, a parabola and two lines that meet (Hudson,
// "Fitting segmented curves whose join points have to be estimated", JASA 61, 1966), all fitted by least
// squares on linear and logarithmic scales of either axis, the one with the least Bayesian information
// criterion (Schwarz, Ann. Statist. 6, 1978). It counts where an F-test says that the simpler curve (one line;
// of levels, one level) fits by chance no better in one case of a hundred, for all scales and places looked
// at together (Bonferroni). The noise is what the fits leave, and at least 0.3 %.
CurveShape shape_of(std::span<const double> x, std::span<const double> y);

}  // namespace a3sim
