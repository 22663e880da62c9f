#include "sim/network/max_min.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/network/fluid_date.h"

namespace a3sim {

namespace {

// Rounding noise. Ports whose levels differ by less are full at the same level: in exact arithmetic they
// would be. So symmetric flows have bit-identical rates and end together. A level's own noise is relative to
// it; that of what is left of a port, to its capacity: a hundred thousand subtractions of half a last place.
constexpr double kNoise = 0x1p-40;
constexpr double kLeftNoise = 0x1p-47;

constexpr double kNever = std::numeric_limits<double>::infinity();
// The level of a port that its flows do not fill. Finite: times no flows it is nothing.
constexpr double kUnfilled = std::numeric_limits<double>::max();

// What a limit has served may become large; beyond this many bytes it is counted anew, so that rounding stays small.
constexpr double kServed = 0x1p18;

// How many limits of the order a solve compares at each step, itself included. More find more of those that come
// too late before it is, and cost a division each.
constexpr std::size_t kAhead = 4;

}  // namespace

MaxMin::MaxMin(const NetworkSpec& spec)
    : egress_ports_(static_cast<std::uint32_t>(spec.egress.size())),
      ports_(static_cast<std::uint32_t>(spec.egress.size() + spec.ingress.size())),
      through_(ports_),
      stride_(std::max<std::size_t>(16, ports_ / 16)),
      open_(ports_) {
  for (BytesPerSecond rate : spec.egress) limits_.push_back({per_picosecond(rate)});
  for (BytesPerSecond rate : spec.ingress) limits_.push_back({per_picosecond(rate)});
  for (std::uint32_t p = 0; p < ports_; ++p) order_.push_back(p);
  at_ = order_;
  solve();
}

double MaxMin::used(std::uint32_t port) const {
  const double all = limits_[port].capacity, left = open_[port].left;
  return left > all * kNoise ? all - left : all;
}

void MaxMin::number_from(std::size_t place) {
  for (std::size_t k = place; k < order_.size(); ++k) at_[order_[k]] = static_cast<std::uint32_t>(k);
}

// The limit of a cap, with one class more.
std::uint32_t MaxMin::cap_limit(double cap) {
  const auto [known, is_new] = caps_.try_emplace(cap, 0);
  if (is_new) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(limits_.size()));
      limits_.push_back({});
      at_.push_back(0);
    }
    const std::uint32_t limit = known->second = free_.back();
    free_.pop_back();
    limits_[limit].capacity = limits_[limit].level = cap;
    // Right as far as levels are known; no class is there yet that would have to move.
    const auto above = [&](std::uint32_t other) { return limits_[other].level > cap; };
    const auto next = order_.insert(std::find_if(order_.begin(), order_.end(), above), limit);
    number_from(static_cast<std::size_t>(next - order_.begin()));
    }
  ++limits_[known->second].flows;
  return known->second;
}

void MaxMin::drop_cap(std::uint32_t limit) {
  if (--limits_[limit].flows > 0) return;
  caps_.erase(limits_[limit].capacity);
  free_.push_back(limit);
  order_.erase(order_.begin() + at_[limit]);
  number_from(at_[limit]);
}

void MaxMin::add(std::uint32_t c, std::uint32_t from, std::uint32_t to, BytesPerSecond cap) {
  const std::array limits{from, egress_ports_ + to, cap_limit(per_picosecond(cap))};
  if (classes_.size() <= c) classes_.resize(c + 1);
  classes_[c].limits = limits;
  for (std::size_t side : {0, 1}) {
    auto& list = through_[limits[side]];
    classes_[c].at[side] = static_cast<std::uint32_t>(list.size());
    list.push_back(c);
  }
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return at_[a] < at_[b]; };
  hold_class(c, *std::min_element(limits.begin(), limits.end(), before), kNever, 0);
}

void MaxMin::remove(std::uint32_t c) {
  let_go(c);
  for (std::size_t side : {0, 1}) {
    auto& list = through_[classes_[c].limits[side]];
    const std::uint32_t hole = classes_[c].at[side];
    list[hole] = list.back();
    classes_[list[hole]].at[side] = hole;
    list.pop_back();
  }
  drop_cap(classes_[c].limits[2]);
}

// A class has some flows more or less. What is known of the order up to its holder stays, but for their number. A cap
// that comes or goes does so with a flow, and never stands before what holds it.
void MaxMin::change_flows(std::uint32_t c, std::int32_t more) {
  entry_of(c).flows += more;
  changed_ = std::min<std::size_t>(changed_, at_[classes_[c].holder]);
  for (std::uint32_t port : {classes_[c].limits[0], classes_[c].limits[1]}) {
    limits_[port].flows += more;
    for (std::size_t s = 1; s <= changed_ / stride_; ++s) saved_[s][port].flows += more;
  }
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

// Puts a limit at another place that lies before all whose levels are above its own, and takes all back that has
// been done since.
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

// Goes through the limits in the order of last time, compares each with the next, and goes back with one that is
// reached before those that it follows.
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

double MaxMin::left(std::uint32_t c) const { return entry_of(c).finish - limits_[classes_[c].holder].served; }

void MaxMin::set_left(std::uint32_t c, double bytes) {
  Limit& limit = limits_[classes_[c].holder];
  Held entry = entry_of(c);
  entry.finish = limit.served + bytes;
  sift(limit.held, classes_[c].place, entry);
}

void MaxMin::serve(double picoseconds) {
  for (Limit& limit : limits_) {
    if (limit.held.empty()) continue;
    limit.served += limit.level * picoseconds;
  }
}

double MaxMin::first_end() const {
  double first = kNever;
  for (const Limit& limit : limits_) {
    if (!limit.held.empty())
      first = std::min(first, (limit.held.front().finish - limit.served) / limit.level);
  }
  return first;
}

void MaxMin::take_ending(double noise, std::vector<Ending>& ending) {
  for (Limit& limit : limits_) {
    if (limit.held.empty()) continue;
    const double slack = limit.level * kSlack + noise;
    while (limit.held.front().finish - limit.served <= slack) {
      Held entry = limit.held.front();
      ending.push_back({entry.c, entry.finish - limit.served, slack});
      entry.finish = kNever;  // until it is known
      sift(limit.held, 0, entry);
    }
    if (limit.served < kServed) continue;
    for (Held& h : limit.held) h.finish -= limit.served;
    limit.served = 0;
  }
}

void MaxMin::place(std::vector<Held>& held, std::size_t at, const Held& entry) {
  held[at] = entry;
  classes_[entry.c].place = static_cast<std::uint32_t>(at);
}

// Puts an entry into a hole of the heap and moves it up or down to where it belongs.
void MaxMin::sift(std::vector<Held>& held, std::size_t hole, const Held& entry) {
  while (hole > 0 && entry.finish < held[(hole - 1) / 2].finish) {
    place(held, hole, held[(hole - 1) / 2]);
    hole = (hole - 1) / 2;
  }
  for (std::size_t child = 2 * hole + 1; child < held.size(); child = 2 * hole + 1) {
    if (child + 1 < held.size() && held[child + 1].finish < held[child].finish) ++child;
    if (!(held[child].finish < entry.finish)) break;
    place(held, hole, held[child]);
    hole = child;
  }
  place(held, hole, entry);
}

void MaxMin::hold_class(std::uint32_t c, std::uint32_t limit, double left, std::int32_t flows) {
  const auto& limits = classes_[c].limits;
  Limit& holder = limits_[limit];
  if (holder.held.empty()) holder.served = 0;
  classes_[c].holder = limit;
  std::array<std::uint32_t, 2> others{limits[0], limits[1]};
  if (!is_cap(limit)) others = {limit == limits[0] ? limits[1] : limits[0], limits[2]};
  holder.held.emplace_back();
  sift(holder.held, holder.held.size() - 1, {holder.served + left, others, flows, c});
}

// Its entry, of the limit that held it.
MaxMin::Held MaxMin::let_go(std::uint32_t c) {
  auto& held = limits_[classes_[c].holder].held;
  const std::size_t hole = classes_[c].place;
  const Held entry = held[hole], last = held.back();
  held.pop_back();
  if (hole < held.size()) sift(held, hole, last);
  return entry;
}

}  // namespace a3sim
