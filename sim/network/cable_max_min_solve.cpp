#include <algorithm>
#include <limits>
#include <utility>

#include "sim/core/ids.h"
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
  const double all = full_[limit].left, left = open_[limit].left;
  return (left > all * kNoise ? all - left : all) / whole_[limit];
}

// Returns the level at which a limit is reached if all its open flows rise to it.
double CableMaxMin::level(std::uint32_t limit) const {
  if (is_cap(limit)) return full_[limit].left;
  const Open& open = open_[limit];
  return open.parts > 0 ? open.left / open.parts : kUnfilled;
}

// True if it is reached below a level, by more than noise. A limit without open flows counts as reached if it
// is overfull.
bool CableMaxMin::reached_before(std::uint32_t limit, double level) const {
  const double capacity = full_[limit].left;
  if (is_cap(limit)) return capacity < level * (1 - kNoise);
  const double wanted = level * open_[limit].parts, left = open_[limit].left;
  return left < wanted * (1 - kNoise) && left < wanted - capacity * kLeftNoise;
}

// True if it is reached at that level or below, within noise.
bool CableMaxMin::reached_at(std::uint32_t limit, double level) const {
  if (is_cap(limit)) return false;  // a cap is its own level
  const double capacity = full_[limit].left;
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
      Open& open = open_[use.limit];
      taken_.push_back({use.limit, open.left, parts});
      open.left -= level * parts;
      open.parts -= parts;
    }
  }
  now_.held += limits_[limit].held.size();
  if (!is_cap(limit) && open_[limit].parts > 0) {
    taken_.push_back({limit, open_[limit].left, open_[limit].parts});
    open_[limit] = {0, 0};
  }
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

// Moves a limit before the last one and all others with levels above its own, and undoes everything done since that place.
std::size_t CableMaxMin::move_back(std::size_t from, double level) {
  std::size_t to = from - 1;
  while (to > 0 && level < limits_[order_[to - 1]].level * (1 - kNoise)) --to;
  for (std::size_t k = from; k-- > to;) swap_with_next(k);
  return go_back_to(to);
}

// Returns the level at which all flows of a port or cable fill it, if each rises to its present rate at most.
double CableMaxMin::filled_at(std::uint32_t limit) {
  rising_.clear();
  Open open = full_[limit];
  for (const Through& t : through_[limit])
    rising_.push_back({rate(t.c), entry_of(t.c).flows * classes_[t.c].uses[t.use].parts});
  std::ranges::sort(rising_, {}, &Open::left);
  for (const Open& flows : rising_) {
    if (open.left < flows.left * open.parts) break;
    open.left -= flows.left * flows.parts;
    open.parts -= flows.parts;
  }
  return open.parts > 0 ? std::max(0.0, open.left) / open.parts : kUnfilled;
}

// Exchanges a limit with the one at a place of the order. Neither holds classes.
void CableMaxMin::bring_to(std::size_t place, std::uint32_t limit) {
  const std::uint32_t other = order_[place];
  std::swap(order_[place], order_[at_[limit]]);
  std::swap(at_[limit], at_[other]);
}

// Undoes what solves have done from a place of the order on, and returns that place.
std::size_t CableMaxMin::go_back_to(std::size_t place) {
  if (place == 0) {
    std::copy_n(full_.begin(), shared_, open_.begin());
    taken_.clear();
    now_ = {};
    return 0;
  }
  now_ = progress_[place];
  for (; taken_.size() > now_.taken; taken_.pop_back()) {
    Open& open = open_[taken_.back().limit];
    open.left = taken_.back().left;
    open.parts += taken_.back().parts;
  }
  return place;
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

// Returns a limit, from a place of the order on, that is reached before the last one that holds classes: a cap below its
// level, or a port or cable that held flows overfill. Returns kNone if there is none.
std::uint32_t CableMaxMin::too_late(std::size_t place) const {
  for (std::uint32_t l = 0; l < shared_; ++l)
    if (open_[l].left < -full_[l].left * kLeftNoise && at_[l] >= place) return l;
  const double last = place > 0 ? limits_[order_[place - 1]].level : 0;
  for (const auto& [cap, limit] : caps_) {
    if (!reached_before(limit, last)) break;
    if (at_[limit] >= place) return limit;
  }
  return kNone;
}

// Goes through the limits in their previous order, compares each with the next, and moves back a limit that
// is reached before those that it follows. Once all classes are held, what follows has no open flows: only what comes
// too late there moves.
void CableMaxMin::solve() {
  progress_.resize(order_.size() + 1);
  std::size_t k = changed_ == 0 || changed_ < end_solved_ ? go_back_to(changed_) : end_solved_;
  // If rounding makes some limits change places endlessly, their levels are equal within rounding.
  std::size_t moves = order_.size() * order_.size();
  while (true) {
    if (now_.held == in_use_) {
      const std::uint32_t late = moves > 0 ? too_late(k) : kNone;
      if (late == kNone) break;
      --moves;
      bring_to(k, late);
      k = move_back(k, is_cap(late) ? full_[late].left : filled_at(late));
    }
    double reached = bring_first(k);
    if (k > 0) {
      const double last = limits_[order_[k - 1]].level;
      if (reached_before(order_[k], last) && moves > 0) {
        --moves;
        k = move_back(k, is_cap(order_[k]) ? reached : filled_at(order_[k]));
        continue;
      }
      if (reached_at(order_[k], last)) reached = last;
    }
    now_.taken = taken_.size();
    progress_[k] = now_;
    hold(order_[k++], reached);
  }
  changed_ = end_ = end_solved_ = k;
}

}  // namespace a3sim
