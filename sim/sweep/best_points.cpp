#include "sim/sweep/best_points.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace a3sim {

BestPoints::BestPoints(std::size_t best, std::vector<Bounded> points, const std::vector<double>& known)
    : best_(best), points_(std::move(points)) {
  std::ranges::stable_sort(points_, {}, &Bounded::least);
  for (const double latency : known) take(latency);
}

void BestPoints::take(double latency) {
  if (!std::isfinite(latency)) return;
  least_.insert(latency);
  if (least_.size() > best_) least_.erase(std::prev(least_.end()));
}

bool BestPoints::may_be_best(const Bounded& point) const {
  return least_.size() < best_ || point.least <= *least_.rbegin();
}

// The best so far only get better, so whatever is left out once stays so.
std::optional<std::uint64_t> BestPoints::next() {
  if (given_ == points_.size() || !may_be_best(points_[given_])) return std::nullopt;
  return points_[given_++].point;
}

std::vector<std::uint64_t> BestPoints::settle(std::uint64_t point, double latency) {
  waiting_.emplace(point, latency);
  std::vector<std::uint64_t> settled;
  while (settled_ < given_ && may_be_best(points_[settled_])) {
    const auto ended = waiting_.find(points_[settled_].point);
    if (ended == waiting_.end()) break;
    take(ended->second);
    settled.push_back(ended->first);
    waiting_.erase(ended);
    ++settled_;
  }
  return settled;
}

std::size_t BestPoints::open() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(points_, [&](const Bounded& point) { return may_be_best(point); }));
}

}  // namespace a3sim
