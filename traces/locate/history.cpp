#include "traces/locate/history.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "traces/analysis/median.h"

namespace a3sim {

bool StepHistory::above(double took, double share, double deviations) const {
  return took > median_ + std::max(share * median_, deviations * deviation_);
}

bool StepHistory::shifted() const {
  return last_.size() == limits_.shift_window && !usual_.empty() &&
         a3sim::median({last_.begin(), last_.end()}) > limits_.shift * median_;
}

void StepHistory::add(double took, bool slow) {
  last_.push_back(took);
  if (last_.size() > limits_.shift_window) last_.pop_front();
  if (slow) return;
  usual_.push_back(took);
  if (usual_.size() > limits_.window) usual_.pop_front();
  measure();
}

void StepHistory::take_back() {
  if (usual_.empty()) return;
  usual_.pop_back();
  measure();
}

void StepHistory::measure() {
  constexpr double kNormal = 1.4826;  // standard deviations in a median absolute deviation
  median_ = a3sim::median({usual_.begin(), usual_.end()});
  std::vector<double> apart;
  for (const double of : usual_) apart.push_back(std::abs(of - median_));
  deviation_ = kNormal * a3sim::median(std::move(apart));
}

}  // namespace a3sim
