#include <algorithm>
#include <limits>
#include <utility>

#include "sim/network/max_min.h"

namespace a3sim {

namespace {

// Rounding noise. Ports whose levels differ by less are full at the same level, as they would be in exact
// arithmetic. So symmetric flows have bit-identical rates and end together. A level's own noise is relative
// to it; that of the rest of a port is relative to its capacity: a hundred thousand subtractions of half a
// last place.
constexpr double kNoise = 0x1p-40;
constexpr double kLeftNoise = 0x1p-47;

// The level of a port that its flows do not fill. Finite, so that its product with 0 flows is 0.
constexpr double kUnfilled = std::numeric_limits<double>::max();

// The number of limits of the order that a solve compares at each step, including the current one. More of
// them find more limits that come too late, and cost a division each.
constexpr std::size_t kAhead = 4;

}  // namespace

double MaxMin::used(std::uint32_t port) const {
  const double all = limits_[port].capacity, left = open_[port].left;
  return left > all * kNoise ? all - left : all;
}

// Returns the level at which a limit is reached if all its open flows rise to it.
double MaxMin::level(std::uint32_t limit) const {
  if (is_cap(limit)) return limits_[limit].capacity;
  const Open& open = open_[limit];
  return open.flows > 0 ? open.left / open.flows : kUnfilled;
}

// True if it is reached below a level, by more than noise. A port without open flows counts as reached if it
// is overfull.
bool MaxMin::reached_before(std::uint32_t limit, double level) const {
  const double capacity = limits_[limit].capacity;
  if (is_cap(limit)) return capacity < level * (1 - kNoise);
  const double wanted = level * open_[limit].flows, left = open_[limit].left;
  return left < wanted * (1 - kNoise) && left < wanted - capacity * kLeftNoise;
}

// True if it is reached at that level or below, within noise.
bool MaxMin::reached_at(std::uint32_t limit, double level) const {
  const double capacity = limits_[limit].capacity;
  if (is_cap(limit)) return false;  // a cap is its own level
  const double wanted = level * open_[limit].flows, left = open_[limit].left;
  return left <= std::max(wanted * (1 + kNoise), wanted + capacity * kLeftNoise);
}

// Subtracts the rates of the flows held at a limit from the rest of other ports.
void MaxMin::hold(std::uint32_t limit, double level) {
  limits_[limit].level = level;
  const auto take = [&](std::uint32_t port, std::int32_t flows) {
    open_[port].left -= level * flows;
    open_[port].flows -= flows;
  };
  if (is_cap(limit)) {
    for (const Held& h : limits_[limit].held) {
      take(h.others[0], h.flows);
      take(h.others[1], h.flows);
    }
  } else {
    for (const Held& h : limits_[limit].held) take(h.others[0], h.flows);
    if (open_[limit].flows > 0) open_[limit] = {0, 0};
  }
}

// Exchanges neighbours in the order. Classes that the first one holds and both limit are now held by the
// second.
void MaxMin::swap_with_next(std::size_t place) {
  const std::uint32_t later = order_[place], earlier = order_[place + 1];
  std::swap(order_[place], order_[place + 1]);
  at_[earlier] = static_cast<std::uint32_t>(place);
  at_[later] = static_cast<std::uint32_t>(place + 1);
  if (kind(earlier) == kind(later)) return;
  moving_.clear();
  if (is_cap(later)) {
    for (std::uint32_t c : through_[earlier]) {
      if (classes_[c].holder == later) moving_.push_back(c);
    }
  } else {
    for (const Held& h : limits_[later].held) {
      if (h.others[0] == earlier || h.others[1] == earlier) moving_.push_back(h.c);
    }
  }
  for (std::uint32_t c : moving_) {
    const Held moved = let_go(c);
    hold_class(c, earlier, moved.finish - limits_[later].served, moved.flows);
  }
}

// Moves a limit before all limits with levels above its own, and undoes everything done since that place.
std::size_t MaxMin::move_back(std::size_t from) {
  const std::uint32_t limit = order_[from];
  std::size_t to = from - 1;
  while (to > 0 && reached_before(limit, limits_[order_[to - 1]].level)) --to;
  for (std::size_t k = from; k-- > to;) swap_with_next(k);
  return go_back_to(to);
}

// Restores the rest of all ports to its value at or before a place of the order, and returns that place.
std::size_t MaxMin::go_back_to(std::size_t place) {
  if (const std::size_t s = place / stride_; s > 0) {
    open_ = saved_[s];
    return s * stride_;
  }
  for (std::uint32_t p = 0; p < ports_; ++p)
    open_[p] = {limits_[p].capacity, static_cast<double>(limits_[p].flows)};
  return 0;
}

// Moves the limit that is reached first, among the next few, to a place of the order. Returns its level.
double MaxMin::bring_first(std::size_t place) {
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

// Returns the number of limits before a place of the order that are in use.
std::size_t MaxMin::in_use_before(std::size_t place) const {
  return static_cast<std::size_t>(std::count_if(order_.begin(),
                                                order_.begin() + static_cast<std::ptrdiff_t>(place),
                                                [&](std::uint32_t limit) { return in_use(limit); }));
}

// Goes through the limits in their previous order, compares each with the next, and moves back a limit that
// is reached before those that it follows. Stops after the last limit in use: the others are ports without
// flows.
void MaxMin::solve() {
  saved_.resize(order_.size() / stride_ + 1);
  std::size_t k = go_back_to(changed_);
  const std::size_t all = in_use_before(order_.size());
  std::size_t passed = in_use_before(k);
  // If rounding makes some limits change places endlessly, their levels are equal within rounding.
  std::size_t moves = order_.size() * order_.size();
  while (k < order_.size() && passed < all) {
    if (k % stride_ == 0 && k > 0) saved_[k / stride_] = open_;
    double reached = bring_first(k);
    if (k > 0) {
      const double last = limits_[order_[k - 1]].level;
      if (reached_before(order_[k], last) && moves > 0) {
        --moves;
        k = move_back(k);
        passed = in_use_before(k);
        continue;
      }
      if (reached_at(order_[k], last)) reached = last;
    }
    passed += in_use(order_[k]) ? 1 : 0;
    hold(order_[k++], reached);
  }
  changed_ = k;
  // A flow that comes next may be held here.
  if (k % stride_ == 0 && k > 0) saved_[k / stride_] = open_;
  for (; k < order_.size(); ++k) limits_[order_[k]].level = kUnfilled;
}

}  // namespace a3sim
