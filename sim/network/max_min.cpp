#include "sim/network/max_min.h"

#include <algorithm>
#include <limits>

namespace a3sim {

namespace {

// Rounding noise. Ports whose levels differ by less are full at the same level: in exact arithmetic they
// would be. So symmetric flows have bit-identical rates and end together. A level's own noise is relative to
// it; that of what is left of a port, to its capacity: a hundred thousand subtractions of half a last place.
constexpr double kNoise = 0x1p-40;
constexpr double kSameLevel = 1 + kNoise;
constexpr double kLeftNoise = 0x1p-47;

constexpr double kUncapped = std::numeric_limits<double>::infinity();

}  // namespace

MaxMin::MaxMin(const NetworkSpec& spec)
    : egress_ports_(static_cast<std::uint32_t>(spec.egress.size())),
      listed_(spec.egress.size() + spec.ingress.size()),
      flows_(listed_.size(), 0) {
  for (BytesPerSecond rate : spec.egress) capacity_.push_back(per_picosecond(rate));
  for (BytesPerSecond rate : spec.ingress) capacity_.push_back(per_picosecond(rate));
  open_ports();
}

double MaxMin::used(std::uint32_t port) const {
  const double all = capacity_[port], left = open_[port].left;
  return left > all * kNoise ? all - left : all;
}

void MaxMin::add(std::uint32_t from, std::uint32_t to, BytesPerSecond cap) {
  const auto c = static_cast<std::uint32_t>(classes_.size());
  classes_.push_back({from, egress_ports_ + to, 0, solves_});
  auto &out = listed_[from], &in = listed_[egress_ports_ + to];
  places_.push_back(
      {static_cast<std::uint32_t>(out.size()), static_cast<std::uint32_t>(in.size()), per_picosecond(cap)});
  out.push_back(c);
  in.push_back(c);
  rates_.push_back(0);
  ++caps_[per_picosecond(cap)];
}

void MaxMin::remove(std::uint32_t c) {
  const auto cap = caps_.find(places_[c].cap);
  if (--cap->second == 0) caps_.erase(cap);
  const auto unlist = [&](std::uint32_t port, std::uint32_t Place::* at) {
    auto& list = listed_[port];
    const std::uint32_t hole = places_[c].*at;
    list[hole] = list.back();
    places_[list[hole]].*at = hole;
    list.pop_back();
  };
  unlist(classes_[c].egress, &Place::at_egress);
  unlist(classes_[c].ingress, &Place::at_ingress);
  if (const auto last = static_cast<std::uint32_t>(classes_.size() - 1); c != last) {
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
    open_[p] = {capacity_[p], flows_[p]};
    if (flows_[p] > 0) heap_.push_back({capacity_[p] / flows_[p], p});
  }
  std::make_heap(heap_.begin(), heap_.end(), [](const Level& a, const Level& b) { return a.rate > b.rate; });
}

// The port is full at this rate.
void MaxMin::freeze_port(std::uint32_t port, double rate) {
  const auto other = port < egress_ports_ ? &Class::ingress : &Class::egress;
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

// The least cap above the level.
double MaxMin::next_cap(double level) const {
  const auto next = caps_.upper_bound(level);
  return next == caps_.end() ? kUncapped : next->first;
}

// Classes whose caps do not lie above the level run at their caps.
void MaxMin::freeze_caps(double level) {
  for (std::uint32_t c = 0; c < classes_.size(); ++c) {
    Class& frozen = classes_[c];
    const double cap = places_[c].cap;
    if (frozen.solved == solves_ || cap > level) continue;
    frozen.solved = solves_;
    rates_[c] = cap;
    --unsolved_;
    for (std::uint32_t port : {frozen.egress, frozen.ingress}) {
      open_[port].left -= cap * frozen.flows;
      open_[port].flows -= frozen.flows;
    }
  }
}

// In exact arithmetic, the port would be full if its open flows ran at this rate.
bool MaxMin::full_at(std::uint32_t port, double rate) const {
  const Open& open = open_[port];
  const double wanted = rate * open.flows;
  return open.left <= std::max(wanted * kSameLevel, wanted + capacity_[port] * kLeftNoise);
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
  unsolved_ = static_cast<std::uint32_t>(classes_.size());
  open_ports();
  double level = 0, cap = next_cap(0);  // the least that may be open
  while (unsolved_ > 0) {
    const Level top = heap_.front();
    const Open open = open_[top.port];
    if (open.flows == 0) {
      pop_top();
      continue;
    }
    if (!full_at(top.port, top.rate)) {
      push_down({open.left / open.flows, top.port});
      continue;
    }
    if (!full_at(top.port, level)) level = open.left / open.flows;
    if (cap <= level) {
      freeze_caps(level);
      cap = next_cap(level);
    } else {
      freeze_port(top.port, level);
      pop_top();
    }
  }
}

}  // namespace a3sim
