#include "sim/network/cable_max_min.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "sim/core/error.h"
#include "sim/network/fluid_time.h"

namespace a3sim {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// A limit's served bytes may become large. Above this number they restart, so that rounding stays small.
constexpr double kServed = 0x1p18;
// Sums of parts below this are exact in doubles, with room for a million flows.
constexpr std::uint64_t kMostParts = std::uint64_t{1} << 32;

// Returns, by cable, the number of parts in which a byte is counted there, so that each path takes a whole
// number.
std::vector<std::uint64_t> parts_of_cables(const NetworkSpec& spec) {
  std::vector<std::uint64_t> whole(spec.cables.size(), 1);
  for (const CablePath& path : spec.paths) {
    for (const CableShare& share : path) {
      whole[share.cable] = std::lcm(whole[share.cable], std::uint64_t{share.whole});
      if (whole[share.cable] > kMostParts)
        throw InputError(
            "paths split over too many different numbers of cables: their parts have no common measure");
    }
  }
  return whole;
}

}  // namespace

CableMaxMin::CableMaxMin(const NetworkSpec& spec)
    : egress_ports_(static_cast<std::uint32_t>(spec.egress.size())),
      ports_(static_cast<std::uint32_t>(spec.egress.size() + spec.ingress.size())),
      shared_(ports_ + static_cast<std::uint32_t>(spec.cables.size())),
      paths_(spec.paths),
      through_(shared_),
      open_(shared_) {
  for (const auto* ports : {&spec.egress, &spec.ingress})
    for (const BytesPerSecond rate : *ports) full_.push_back({per_picosecond(rate), 0});
  whole_.assign(full_.size(), 1);
  const std::vector<std::uint64_t> wholes = parts_of_cables(spec);
  for (std::size_t cable = 0; cable < spec.cables.size(); ++cable) {
    const auto whole = static_cast<double>(wholes[cable]);
    full_.push_back({per_picosecond(spec.cables[cable]) * whole, 0});
    whole_.push_back(whole);
  }
  limits_.resize(shared_);
  for (std::uint32_t l = 0; l < shared_; ++l) order_.push_back(l);
  at_ = order_;
  solve();
}

void CableMaxMin::number_from(std::size_t place) {
  for (std::size_t k = place; k < order_.size(); ++k) at_[order_[k]] = static_cast<std::uint32_t>(k);
}

// Returns the limit of a cap, after adding a class to it.
std::uint32_t CableMaxMin::cap_limit(double cap) {
  const auto [known, is_new] = caps_.try_emplace(cap, 0);
  if (is_new) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(limits_.size()));
      limits_.emplace_back();
      full_.push_back({0, 0});
      at_.push_back(0);
    }
    const std::uint32_t limit = known->second = free_.back();
    free_.pop_back();
    full_[limit] = {cap, 0};
    limits_[limit].level = cap;
    // Correct as far as levels are known. There is no class yet that would have to move.
    const auto above = [&](std::uint32_t other) { return limits_[other].level > cap; };
    const auto held_end = order_.begin() + static_cast<std::ptrdiff_t>(end_);
    const auto next = order_.insert(std::find_if(order_.begin(), held_end, above), limit);
    number_from(static_cast<std::size_t>(next - order_.begin()));
    if (at_[limit] < end_) ++end_;
  }
  ++full_[known->second].parts;
  return known->second;
}

void CableMaxMin::drop_cap(std::uint32_t limit) {
  if (--full_[limit].parts > 0) return;
  caps_.erase(full_[limit].left);
  free_.push_back(limit);
  order_.erase(order_.begin() + at_[limit]);
  if (at_[limit] < end_) --end_;
  number_from(at_[limit]);
}

void CableMaxMin::add(std::uint32_t c, std::uint32_t from, std::uint32_t to, BytesPerSecond cap,
                      std::uint32_t path) {
  if (classes_.size() <= c) classes_.resize(c + 1);
  Class& added = classes_[c];
  added.uses.clear();
  added.uses.push_back({from, 0, 1});
  added.uses.push_back({egress_ports_ + to, 0, 1});
  if (path > 0) {
    for (const CableShare& share : paths_[path]) {
      const std::uint32_t limit = ports_ + share.cable;
      added.uses.push_back({limit, 0, whole_[limit] * share.parts / share.whole});
    }
  }
  added.cap = cap_limit(per_picosecond(cap));
  std::uint32_t first = added.cap;
  for (std::uint32_t u = 0; u < added.uses.size(); ++u) {
    auto& list = through_[added.uses[u].limit];
    added.uses[u].place = static_cast<std::uint32_t>(list.size());
    list.push_back({c, u});
    if (at_[added.uses[u].limit] < at_[first]) first = added.uses[u].limit;
  }
  if (at_[first] >= end_) bring_to(end_++, first);
  hold_class(c, first, kNever, 0);
  ++in_use_;
}

void CableMaxMin::remove(std::uint32_t c) {
  let_go(c);
  --in_use_;
  for (const Use& use : classes_[c].uses) {
    auto& list = through_[use.limit];
    list[use.place] = list.back();
    classes_[list[use.place].c].uses[list[use.place].use].place = use.place;
    list.pop_back();
  }
  drop_cap(classes_[c].cap);
}

// Changes the number of flows of a class. The order up to its holder stays valid, apart from this number. A
// cap that comes or goes does so with a flow, and is never before its flows' holder.
void CableMaxMin::change_flows(std::uint32_t c, std::int32_t more) {
  entry_of(c).flows += more;
  changed_ = std::min<std::size_t>(changed_, at_[classes_[c].holder]);
  for (const Use& use : classes_[c].uses) {
    full_[use.limit].parts += more * use.parts;
    open_[use.limit].parts += more * use.parts;
  }
}

double CableMaxMin::left(std::uint32_t c) const {
  return entry_of(c).finish - limits_[classes_[c].holder].served;
}

void CableMaxMin::set_left(std::uint32_t c, double bytes) {
  Limit& limit = limits_[classes_[c].holder];
  Held entry = entry_of(c);
  entry.finish = limit.served + bytes;
  sift(limit.held, classes_[c].place, entry);
}

void CableMaxMin::serve(double picoseconds) {
  for (const std::uint32_t l : holding_) limits_[l].served += limits_[l].level * picoseconds;
}

double CableMaxMin::first_end() const {
  double first = kNever;
  for (const std::uint32_t l : holding_) {
    const Limit& limit = limits_[l];
    first = std::min(first, (limit.held.front().finish - limit.served) / limit.level);
  }
  return first;
}

void CableMaxMin::take_ending(double noise, std::vector<Ending>& ending) {
  for (const std::uint32_t l : holding_) {
    Limit& limit = limits_[l];
    const double slack = limit.level * kSlack + noise;
    while (limit.held.front().finish - limit.served <= slack) {
      Held entry = limit.held.front();
      ending.push_back({entry.c, entry.finish - limit.served, slack});
      entry.finish = kNever;  // not yet known
      sift(limit.held, 0, entry);
    }
    if (limit.served < kServed) continue;
    for (Held& h : limit.held) h.finish -= limit.served;
    limit.served = 0;
  }
}

void CableMaxMin::place(std::vector<Held>& held, std::size_t at, const Held& entry) {
  held[at] = entry;
  classes_[entry.c].place = static_cast<std::uint32_t>(at);
}

// Puts an entry into a hole of the heap and moves it up or down to its place.
void CableMaxMin::sift(std::vector<Held>& held, std::size_t hole, const Held& entry) {
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

void CableMaxMin::hold_class(std::uint32_t c, std::uint32_t limit, double left, std::int32_t flows) {
  Limit& holder = limits_[limit];
  if (holder.held.empty()) {
    holder.served = 0;
    holder.holding = static_cast<std::uint32_t>(holding_.size());
    holding_.push_back(limit);
  }
  classes_[c].holder = limit;
  holder.held.emplace_back();
  sift(holder.held, holder.held.size() - 1, {holder.served + left, flows, c});
}

// Removes a class from the limit that holds it. Returns its entry there.
CableMaxMin::Held CableMaxMin::let_go(std::uint32_t c) {
  const std::uint32_t place = limits_[classes_[c].holder].holding;
  auto& held = limits_[classes_[c].holder].held;
  const std::size_t hole = classes_[c].place;
  const Held entry = held[hole], last = held.back();
  held.pop_back();
  if (hole < held.size()) sift(held, hole, last);
  if (held.empty()) {
    holding_[place] = holding_.back();
    limits_[holding_[place]].holding = place;
    holding_.pop_back();
  }
  return entry;
}

}  // namespace a3sim
