#pragma once

#include <cstddef>
#include <deque>

#include "traces/locate/limits.h"

namespace a3sim {

// What a step takes, by those before it: the median of the last that were not slow, and 1.4826 times their median
// absolute deviation, which is the standard deviation of normal noise.
class StepHistory {
 public:
  explicit StepHistory(const LocateLimits& limits) : limits_(limits) {}

  bool empty() const { return usual_.empty(); }
  double median() const { return median_; }
  double deviation() const { return deviation_; }
  std::size_t size() const { return usual_.size(); }
  // Above the median by more than `share` of it, and no less than so many deviations.
  bool above(double took, double share, double deviations) const;
  // The median of the last steps, slow ones too, is shifted.
  bool shifted() const;

  void add(double took, bool slow);
  // A step that was taken for a usual one was not.
  void take_back();

 private:
  void measure();

  LocateLimits limits_;
  std::deque<double> usual_, last_;
  double median_ = 0, deviation_ = 0;
};

}  // namespace a3sim
