#pragma once

#include <optional>
#include <span>
#include <string>

namespace a3sim {

// Where a curve stops improving: two straight lines that meet at the knee.
struct Knee {
  double at = 0;  // on the axis
  double before = 0,
         after = 0;  // relative change of the metric up to the knee and beyond: -0.4 is a fall by 40 %
};

struct KneeSearch {
  std::optional<Knee> knee;
  std::string why;  // there is none
};

// The knee of `y` over increasing `x`. Two lines that meet (Hudson, "Fitting segmented curves whose join
// points have to be estimated", JASA 61, 1966) are taken for one only where they predict points that they
// have not seen far better than one line does (leave-one-out cross-validation: Stone, JRSS B 36, 1974). Both
// are fitted on linear and logarithmic scales of either axis, whichever fits best, so that neither a straight
// line nor a power law has a knee on the other's paper.
KneeSearch find_knee(std::span<const double> x, std::span<const double> y);

}  // namespace a3sim
