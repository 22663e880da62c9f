#include "sim/network/max_min.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/network/fluid_time.h"

namespace a3sim {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// A limit's served bytes may become large. Above this number they restart, so that rounding stays small.
constexpr double kServed = 0x1p18;

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

void MaxMin::number_from(std::size_t place) {
  for (std::size_t k = place; k < order_.size(); ++k) at_[order_[k]] = static_cast<std::uint32_t>(k);
}

// Returns the limit of a cap, after adding a class to it.
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
    // Correct as far as levels are known. There is no class yet that would have to move.
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

void MaxMin::add(std::uint32_t c, std::uint32_t from, std::uint32_t to, BytesPerSecond cap,
                 std::uint32_t /*path*/) {
  const std::array limits{from, egress_ports_ + to, cap_limit(per_picosecond(cap))};
  if (classes_.size() <= c) classes_.resize(c + 1);
  classes_[c].limits = limits;
  for (std::size_t side : {0, 1}) {
    auto& list = through_[limits[side]];
    classes_[c].at[side] = static_cast<std::uint32_t>(list.size());
    list.push_back(c);
  }
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return at_[a] < at_[b]; };
  hold_class(c, *std::min_element(limits.begin(), limits.end(), before), kInfinite, 0);
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

// Changes the number of flows of a class. The order up to its holder stays valid, apart from this number. A
// cap that comes or goes does so with a flow, and is never before its flows' holder.
void MaxMin::change_flows(std::uint32_t c, std::int32_t more) {
  entry_of(c).flows += more;
  changed_ = std::min<std::size_t>(changed_, at_[classes_[c].holder]);
  for (std::uint32_t port : {classes_[c].limits[0], classes_[c].limits[1]}) {
    limits_[port].flows += more;
    for (std::size_t s = 1; s <= changed_ / stride_; ++s) saved_[s][port].flows += more;
  }
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
  double first = kInfinite;
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
      entry.finish = kInfinite;  // not yet known
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

// Puts an entry into a hole of the heap and moves it up or down to its place.
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

// Returns its entry at the limit that held it.
MaxMin::Held MaxMin::let_go(std::uint32_t c) {
  auto& held = limits_[classes_[c].holder].held;
  const std::size_t hole = classes_[c].place;
  const Held entry = held[hole], last = held.back();
  held.pop_back();
  if (hole < held.size()) sift(held, hole, last);
  return entry;
}

}  // namespace a3sim
