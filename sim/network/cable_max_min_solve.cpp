#include <algorithm>
#include <limits>
#include <utility>

#include "sim/network/cable_max_min.h"

namespace a3sim {

namespace {

// Rounding noise, as in max_min_solve.cpp: levels that differ by less count as one, so that symmetric flows
// have bit-identical rates and end together.
constexpr double kNoise = 0x1p-40;
constexpr double kLeftNoise = 0x1p-47;

// The level of a port or cable that its flows do not fill. Finite, so that its product with 0 parts is 0.
constexpr double kUnfilled = std::numeric_limits<double>::max();

// The number of limits of the order that a solve compares at each step, including the current one.
constexpr std::size_t kAhead = 4;

}  // namespace

double CableMaxMin::used(std::uint32_t limit) const {
  const double all = limits_[limit].capacity, left = open_[limit].left;
  return (left > all * kNoise ? all - left : all) / limits_[limit].whole;
}

// Returns the level at which a limit is reached if all its open flows rise to it.
double CableMaxMin::level(std::uint32_t limit) const {
  if (is_cap(limit)) return limits_[limit].capacity;
  const Open& open = open_[limit];
  return open.parts > 0 ? open.left / open.parts : kUnfilled;
}

// True if it is reached below a level, by more than noise. A limit without open flows counts as reached if it
// is overfull.
bool CableMaxMin::reached_before(std::uint32_t limit, double level) const {
  const double capacity = limits_[limit].capacity;
  if (is_cap(limit)) return capacity < level * (1 - kNoise);
  const double wanted = level * open_[limit].parts, left = open_[limit].left;
  return left < wanted * (1 - kNoise) && left < wanted - capacity * kLeftNoise;
}

// True if it is reached at that level or below, within noise.
bool CableMaxMin::reached_at(std::uint32_t limit, double level) const {
  if (is_cap(limit)) return false;  // a cap is its own level
  const double capacity = limits_[limit].capacity;
  const double wanted = level * open_[limit].parts, left = open_[limit].left;
  return left <= std::max(wanted * (1 + kNoise), wanted + capacity * kLeftNoise);
}

bool CableMaxMin::uses(const Class& c, std::uint32_t limit) const {
  if (is_cap(limit)) return c.cap == limit;
  return std::ranges::any_of(c.uses, [limit](const Use& use) { return use.limit == limit; });
}

// Subtracts the rates of the flows held at a limit from the rest of other ports and cables.
void CableMaxMin::hold(std::uint32_t limit, double level) {
  limits_[limit].level = level;
  for (const Held& h : limits_[limit].held) {
    for (const Use& use : classes_[h.c].uses) {
      if (use.limit == limit) continue;
      const double parts = h.flows * use.parts;
      open_[use.limit].left -= level * parts;
      open_[use.limit].parts -= parts;
    }
  }
  if (!is_cap(limit) && open_[limit].parts > 0) open_[limit] = {0, 0};
}

// Exchanges neighbours in the order. Classes that the first one holds and both limit are now held by the
// second.
void CableMaxMin::swap_with_next(std::size_t place) {
  const std::uint32_t later = order_[place], earlier = order_[place + 1];
  std::swap(order_[place], order_[place + 1]);
  at_[earlier] = static_cast<std::uint32_t>(place);
  at_[later] = static_cast<std::uint32_t>(place + 1);
  moving_.clear();
  if (!is_cap(earlier) && through_[earlier].size() < limits_[later].held.size()) {
    for (const Through& t : through_[earlier]) {
      if (classes_[t.c].holder == later) moving_.push_back(t.c);
    }
  } else {
    for (const Held& h : limits_[later].held) {
      if (uses(classes_[h.c], earlier)) moving_.push_back(h.c);
    }
  }
  for (std::uint32_t c : moving_) {
    const Held moved = let_go(c);
    hold_class(c, earlier, moved.finish - limits_[later].served, moved.flows);
  }
}

// Moves a limit before all limits with levels above its own, and undoes everything done since that place.
std::size_t CableMaxMin::move_back(std::size_t from) {
  const std::uint32_t limit = order_[from];
  std::size_t to = from - 1;
  while (to > 0 && reached_before(limit, limits_[order_[to - 1]].level)) --to;
  for (std::size_t k = from; k-- > to;) swap_with_next(k);
  return go_back_to(to);
}

// Restores the rest of all ports and cables to its value at or before a place of the order, and returns that
// place.
std::size_t CableMaxMin::go_back_to(std::size_t place) {
  if (const std::size_t s = place / stride_; s > 0) {
    open_ = saved_[s];
    return s * stride_;
  }
  for (std::uint32_t l = 0; l < shared_; ++l) open_[l] = {limits_[l].capacity, limits_[l].parts};
  return 0;
}

// Moves the limit that is reached first, among the next few, to a place of the order. Returns its level.
double CableMaxMin::bring_first(std::size_t place) {
  double reached = level(order_[place]);
  std::size_t first = place;
  for (std::size_t k = place + 1, end = std::min(order_.size(), place + kAhead); k < end; ++k) {
    if (!reached_before(order_[k], reached)) continue;
    reached = level(order_[k]);
    first = k;
  }
  while (first > place) swap_with_next(--first);
  return reached;
}

// Goes through the limits in their previous order, compares each with the next, and moves back a limit that
// is reached before those that it follows.
void CableMaxMin::solve() {
  saved_.resize(order_.size() / stride_ + 1);
  std::size_t k = go_back_to(changed_);
  // If rounding makes some limits change places endlessly, their levels are equal within rounding.
  std::size_t moves = order_.size() * order_.size();
  while (k < order_.size()) {
    if (k % stride_ == 0 && k > 0) saved_[k / stride_] = open_;
    double reached = bring_first(k);
    if (k > 0) {
      const double last = limits_[order_[k - 1]].level;
      if (reached_before(order_[k], last) && moves > 0) {
        --moves;
        k = move_back(k);
        continue;
      }
      if (reached_at(order_[k], last)) reached = last;
    }
    hold(order_[k++], reached);
  }
  changed_ = order_.size();
}

}  // namespace a3sim
