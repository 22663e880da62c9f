#include "traces/locate/history.h"

#include <algorithm>
#include <cmath>

namespace a3sim {

double median_of_numbers(std::deque<double> numbers) {
  if (numbers.empty()) return 0;
  const std::size_t half = numbers.size() / 2;
  std::ranges::nth_element(numbers, numbers.begin() + static_cast<std::ptrdiff_t>(half));
  const double upper = numbers[half];
  if (numbers.size() % 2 == 1) return upper;
  return (upper + *std::max_element(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(half))) / 2;
}

bool StepHistory::above(double took, double share, double deviations) const {
  return took > median_ + std::max(share * median_, deviations * deviation_);
}

bool StepHistory::shifted() const {
  return last_.size() == limits_.shift_window && !usual_.empty() &&
         median_of_numbers(last_) > limits_.shift * median_;
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
  median_ = median_of_numbers(usual_);
  std::deque<double> apart;
  for (const double of : usual_) apart.push_back(std::abs(of - median_));
  deviation_ = kNormal * median_of_numbers(apart);
}

}  // namespace a3sim
