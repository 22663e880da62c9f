#include "sim/network/max_min.h"

#include <algorithm>
#include <limits>

namespace a3sim {

namespace {

// Rounding noise of sums over a port, relative. Ports whose levels differ by less are full at the same level:
// in exact arithmetic they would be. So symmetric flows have bit-identical rates and end together.
constexpr double kNoise = 0x1p-40;
constexpr double kSameLevel = 1 + kNoise;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Rates come in bytes a second and are kept in bytes a picosecond, the unit of dates.
double per_picosecond(BytesPerSecond rate) { return static_cast<double>(rate.count) * 1e-12; }

}  // namespace

MaxMin::MaxMin(const NetworkSpec& spec)
    : ranks_(spec.ranks),
      egress_(per_picosecond(spec.egress)),
      ingress_(per_picosecond(spec.ingress)),
      first_(std::size_t{spec.ranks} * spec.ranks, kNone),
      least_cap_(kInfinity),
      listed_(2 * std::size_t{spec.ranks}),
      flows_(listed_.size(), 0) {
  open_ports();
}

double MaxMin::used(std::uint32_t port) const {
  const double all = capacity(port), left = open_[port].left;
  return left > all * kNoise ? all - left : all;
}

std::uint32_t& MaxMin::route(std::uint32_t c) {
  return first_[std::size_t{classes_[c].egress} * ranks_ + (classes_[c].ingress - ranks_)];
}

std::uint32_t MaxMin::find(std::uint32_t src, std::uint32_t dst, double cap) const {
  std::uint32_t c = first_[std::size_t{src} * ranks_ + dst];
  while (c != kNone && places_[c].cap != cap) c = places_[c].next;
  return c;
}

std::uint32_t MaxMin::add(std::uint32_t src, std::uint32_t dst, double cap) {
  const auto c = classes();
  classes_.push_back({src, ranks_ + dst, 0, solves_});
  auto &out = listed_[src], &in = listed_[ranks_ + dst];
  places_.push_back(
      {static_cast<std::uint32_t>(out.size()), static_cast<std::uint32_t>(in.size()), route(c), cap});
  out.push_back(c);
  in.push_back(c);
  route(c) = c;
  rates_.push_back(0);
  least_cap_ = std::min(least_cap_, cap);
  return c;
}

// The link of its route's list that points to a class.
std::uint32_t& MaxMin::link_to(std::uint32_t c) {
  std::uint32_t* link = &route(c);
  while (*link != c) link = &places_[*link].next;
  return *link;
}

void MaxMin::remove(std::uint32_t c) {
  const auto unlist = [&](std::uint32_t port, std::uint32_t Place::* at) {
    auto& list = listed_[port];
    const std::uint32_t hole = places_[c].*at;
    list[hole] = list.back();
    places_[list[hole]].*at = hole;
    list.pop_back();
  };
  unlist(classes_[c].egress, &Place::at_egress);
  unlist(classes_[c].ingress, &Place::at_ingress);
  link_to(c) = places_[c].next;
  if (const std::uint32_t last = classes() - 1; c != last) {
    link_to(last) = c;
    listed_[classes_[last].egress][places_[last].at_egress] = c;
    listed_[classes_[last].ingress][places_[last].at_ingress] = c;
    classes_[c] = classes_[last];
    places_[c] = places_[last];
    rates_[c] = rates_[last];
  }
  classes_.pop_back();
  places_.pop_back();
  rates_.pop_back();
}

void MaxMin::join(std::uint32_t c) {
  ++classes_[c].flows;
  ++flows_[classes_[c].egress];
  ++flows_[classes_[c].ingress];
}

void MaxMin::leave(std::uint32_t c) {
  --classes_[c].flows;
  --flows_[classes_[c].egress];
  --flows_[classes_[c].ingress];
}

void MaxMin::open_ports() {
  open_.resize(flows_.size());
  heap_.clear();
  for (std::uint32_t p = 0; p < flows_.size(); ++p) {
    open_[p] = {capacity(p), flows_[p]};
    if (flows_[p] > 0) heap_.push_back({capacity(p) / flows_[p], p});
  }
  std::make_heap(heap_.begin(), heap_.end(), [](const Level& a, const Level& b) { return a.rate > b.rate; });
}

// The port is full at this rate.
void MaxMin::freeze_port(std::uint32_t port, double rate) {
  const auto other = port < ranks_ ? &Class::ingress : &Class::egress;
  for (std::uint32_t c : listed_[port]) {
    Class& frozen = classes_[c];
    if (frozen.solved == solves_) continue;
    frozen.solved = solves_;
    rates_[c] = rate;
    --unsolved_;
    Open& open = open_[frozen.*other];
    open.left -= rate * frozen.flows;
    open.flows -= frozen.flows;
  }
  open_[port] = {0, 0};
}

// Returns the least cap above the level.
double MaxMin::freeze_caps(double level) {
  double next = kInfinity;
  least_cap_ = kInfinity;
  for (std::uint32_t c = 0; c < classes_.size(); ++c) {
    const double cap = places_[c].cap;
    least_cap_ = std::min(least_cap_, cap);
    if (cap > level) {
      next = std::min(next, cap);
      continue;
    }
    Class& frozen = classes_[c];
    if (frozen.solved == solves_) continue;
    frozen.solved = solves_;
    rates_[c] = cap;
    --unsolved_;
    for (std::uint32_t port : {frozen.egress, frozen.ingress}) {
      open_[port].left -= cap * frozen.flows;
      open_[port].flows -= frozen.flows;
    }
  }
  return next;
}

// Puts a level in the place of the top and restores the heap.
void MaxMin::push_down(Level top) {
  std::size_t hole = 0;
  for (std::size_t child = 1; child < heap_.size(); child = 2 * hole + 1) {
    if (child + 1 < heap_.size()) child += heap_[child + 1].rate < heap_[child].rate;
    if (!(heap_[child].rate < top.rate)) break;
    heap_[hole] = heap_[child];
    hole = child;
  }
  heap_[hole] = top;
}

void MaxMin::pop_top() {
  const Level last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) push_down(last);
}

// Progressive filling. The level at which a port is full if no flow there is held back elsewhere only rises
// as other flows are frozen, so a stale level is a lower bound: the port with the least one is brought up to
// date, and is the next to fill if it stays the least. Classes whose caps lie below that level never reach
// it, and are frozen first.
void MaxMin::solve() {
  ++solves_;
  unsolved_ = classes();
  open_ports();
  double level = 0, next_cap = least_cap_;  // the least cap that may be open
  while (unsolved_ > 0) {
    const Level top = heap_.front();
    const Open open = open_[top.port];
    if (open.flows == 0) {
      pop_top();
      continue;
    }
    const double rate = open.left / open.flows;
    if (rate > top.rate * kSameLevel) {
      push_down({rate, top.port});
      continue;
    }
    if (rate > level * kSameLevel) level = rate;
    if (next_cap <= level) {
      next_cap = freeze_caps(level);
    } else {
      freeze_port(top.port, level);
      pop_top();
    }
  }
}

}  // namespace a3sim
