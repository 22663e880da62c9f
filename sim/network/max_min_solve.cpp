#include <algorithm>
#include <limits>
#include <utility>

#include "sim/network/max_min.h"

namespace a3sim {

namespace {

// Rounding noise. Ports whose levels differ by less are full at the same level: in exact arithmetic they
// would be. So symmetric flows have bit-identical rates and end together. A level's own noise is relative to
// it; that of what is left of a port, to its capacity: a hundred thousand subtractions of half a last place.
constexpr double kNoise = 0x1p-40;
constexpr double kLeftNoise = 0x1p-47;

// The level of a port that its flows do not fill. Finite: times no flows it is nothing.
constexpr double kUnfilled = std::numeric_limits<double>::max();

// How many limits of the order a solve compares at each step, itself included. More find more of those that
// come too late before it is, and cost a division each.
constexpr std::size_t kAhead = 4;

}  // namespace

double MaxMin::used(std::uint32_t port) const {
  const double all = limits_[port].capacity, left = open_[port].left;
  return left > all * kNoise ? all - left : all;
}

// The level at which a limit is reached if all its open flows rise to it.
double MaxMin::level(std::uint32_t limit) const {
  if (is_cap(limit)) return limits_[limit].capacity;
  const Open& open = open_[limit];
  return open.flows > 0 ? open.left / open.flows : kUnfilled;
}

// Whether it is reached below a level, by more than noise. A port without open flows is if it is overfull.
bool MaxMin::reached_before(std::uint32_t limit, double level) const {
  const double capacity = limits_[limit].capacity;
  if (is_cap(limit)) return capacity < level * (1 - kNoise);
  const double wanted = level * open_[limit].flows, left = open_[limit].left;
  return left < wanted * (1 - kNoise) && left < wanted - capacity * kLeftNoise;
}

// Whether it is reached at that level or below, but for noise.
bool MaxMin::reached_at(std::uint32_t limit, double level) const {
  const double capacity = limits_[limit].capacity;
  if (is_cap(limit)) return false;  // A cap is what it is.
  const double wanted = level * open_[limit].flows, left = open_[limit].left;
  return left <= std::max(wanted * (1 + kNoise), wanted + capacity * kLeftNoise);
}

// Takes what the flows held at a limit get out of what other ports have left.
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

// Exchanges neighbours in the order. What the first holds and both limit, the second now holds.
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

// Puts a limit at another place that lies before all whose levels are above its own, and takes all back that
// has been done since.
std::size_t MaxMin::move_back(std::size_t from) {
  const std::uint32_t limit = order_[from];
  std::size_t to = from - 1;
  while (to > 0 && reached_before(limit, limits_[order_[to - 1]].level)) --to;
  for (std::size_t k = from; k-- > to;) swap_with_next(k);
  return go_back_to(to);
}

// Makes what ports have left what it is at or before a place of the order; returns where that is.
std::size_t MaxMin::go_back_to(std::size_t place) {
  if (const std::size_t s = place / stride_; s > 0) {
    open_ = saved_[s];
    return s * stride_;
  }
  for (std::uint32_t p = 0; p < ports_; ++p)
    open_[p] = {limits_[p].capacity, static_cast<double>(limits_[p].flows)};
  return 0;
}

// Brings that of the next few limits which is reached first to a place of the order; returns its level.
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

// Goes through the limits in the order of last time, compares each with the next, and goes back with one that
// is reached before those that it follows.
void MaxMin::solve() {
  saved_.resize(order_.size() / stride_ + 1);
  std::size_t k = go_back_to(changed_);
  // Were it for rounding that some go round in circles, their levels would be the same but for that.
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
