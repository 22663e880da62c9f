#include "sim/network/max_min.h"

#include <algorithm>
#include <limits>

namespace a3sim {

namespace {

// Ports whose levels differ by less are full at the same level: in exact arithmetic they would be. So
// symmetric flows have bit-identical rates and end together.
constexpr double kSameLevel = 1 + 0x1p-40;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Rates come in bytes a second and are kept in bytes a picosecond, the unit of dates.
double per_picosecond(BytesPerSecond rate) { return static_cast<double>(rate.count) * 1e-12; }

}  // namespace

MaxMin::MaxMin(const NetworkSpec& spec)
    : ranks_(spec.ranks),
      egress_(per_picosecond(spec.egress)),
      ingress_(per_picosecond(spec.ingress)),
      first_(std::size_t{spec.ranks} * spec.ranks, kNone),
      ports_(2 * std::size_t{spec.ranks}) {
  for (std::uint32_t p = 0; p < ports_.size(); ++p) ports_[p].left = capacity(p);
}

std::uint32_t MaxMin::find(std::uint32_t src, std::uint32_t dst, double cap) const {
  std::uint32_t c = first_[std::size_t{src} * ranks_ + dst];
  while (c != kNone && classes_[c].cap != cap) c = classes_[c].next;
  return c;
}

std::uint32_t MaxMin::add(std::uint32_t src, std::uint32_t dst, double cap) {
  const auto c = classes();
  Port &egress = ports_[src], &ingress = ports_[ranks_ + dst];
  Class added{src,
              ranks_ + dst,
              static_cast<std::uint32_t>(egress.classes.size()),
              static_cast<std::uint32_t>(ingress.classes.size()),
              0,
              solves_,
              kNone,
              cap};
  egress.classes.push_back(c);
  ingress.classes.push_back(c);
  added.next = route(added);
  route(added) = c;
  classes_.push_back(added);
  rates_.push_back(0);
  return c;
}

// The link of its route's list that points to a class.
std::uint32_t& MaxMin::link_to(std::uint32_t c) {
  std::uint32_t* link = &route(classes_[c]);
  while (*link != c) link = &classes_[*link].next;
  return *link;
}

void MaxMin::remove(std::uint32_t c) {
  const auto unlist = [&](std::uint32_t port, std::uint32_t at, std::uint32_t Class::* place) {
    auto& list = ports_[port].classes;
    list[at] = list.back();
    classes_[list[at]].*place = at;
    list.pop_back();
  };
  unlist(classes_[c].egress, classes_[c].at_egress, &Class::at_egress);
  unlist(classes_[c].ingress, classes_[c].at_ingress, &Class::at_ingress);
  link_to(c) = classes_[c].next;
  const std::uint32_t last = classes() - 1;
  if (c != last) {
    const Class& moved = classes_[last];
    link_to(last) = c;
    ports_[moved.egress].classes[moved.at_egress] = c;
    ports_[moved.ingress].classes[moved.at_ingress] = c;
    classes_[c] = moved;
    rates_[c] = rates_[last];
  }
  classes_.pop_back();
  rates_.pop_back();
}

void MaxMin::join(std::uint32_t c) {
  ++classes_[c].flows;
  ++ports_[classes_[c].egress].flows;
  ++ports_[classes_[c].ingress].flows;
}

void MaxMin::leave(std::uint32_t c) {
  --classes_[c].flows;
  --ports_[classes_[c].egress].flows;
  --ports_[classes_[c].ingress].flows;
}

void MaxMin::freeze(std::uint32_t c, double rate) {
  Class& frozen = classes_[c];
  frozen.solved = solves_;
  rates_[c] = rate;
  --open_;
  const double all = rate * frozen.flows;
  for (Port* port : {&ports_[frozen.egress], &ports_[frozen.ingress]}) {
    port->left -= all;
    port->open -= frozen.flows;
  }
}

void MaxMin::freeze_port(std::uint32_t port, double rate) {
  for (std::uint32_t c : ports_[port].classes) {
    if (classes_[c].solved != solves_) freeze(c, rate);
  }
}

void MaxMin::freeze_caps(double level) {
  least_cap_ = kInfinity;
  for (std::uint32_t c = 0; c < classes_.size(); ++c) {
    if (classes_[c].solved == solves_) continue;
    if (classes_[c].cap <= level) {
      freeze(c, classes_[c].cap);
    } else {
      least_cap_ = std::min(least_cap_, classes_[c].cap);
    }
  }
}

// Restores the heap after its top has risen.
void MaxMin::push_down() {
  const Level top = heap_[0];
  std::size_t hole = 0;
  for (std::size_t child = 1; child < heap_.size(); child = 2 * hole + 1) {
    if (child + 1 < heap_.size() && heap_[child + 1].rate < heap_[child].rate) ++child;
    if (!(heap_[child].rate < top.rate)) break;
    heap_[hole] = heap_[child];
    hole = child;
  }
  heap_[hole] = top;
}

// Progressive filling. The level at which a port is full if no flow there is held back elsewhere only rises
// as other flows are frozen, so a stale level is a lower bound: the port with the least one is brought up to
// date, and is the next to fill if it stays the least. Classes whose caps lie below that level never reach
// it, and are frozen first.
void MaxMin::solve() {
  ++solves_;
  open_ = classes();
  least_cap_ = 0;
  heap_.clear();
  for (std::uint32_t p = 0; p < ports_.size(); ++p) {
    Port& port = ports_[p];
    port.left = capacity(p);
    port.open = port.flows;
    if (port.flows > 0) heap_.push_back({port.left / port.open, p});
  }
  std::make_heap(heap_.begin(), heap_.end(), [](const Level& a, const Level& b) { return a.rate > b.rate; });
  double level = 0;
  while (open_ > 0) {
    Level& top = heap_[0];
    const Port& port = ports_[top.port];
    if (port.open == 0) {
      top.rate = kInfinity;
      push_down();
      continue;
    }
    const double rate = port.left / port.open;
    if (rate > top.rate * kSameLevel) {
      top.rate = rate;
      push_down();
      continue;
    }
    if (rate > level * kSameLevel) level = rate;
    if (least_cap_ <= level) {
      freeze_caps(level);
    } else {
      freeze_port(top.port, level);
    }
  }
}

}  // namespace a3sim
