#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/core/ids.h"

namespace a3sim {

// A number for each of few routes out of very many: a hash table with linear probing, never more than half
// full. Nothing iterates over it, so its order reaches no result.
class RouteTable {
 public:
  struct Route {
    std::uint32_t from, to;
    friend bool operator==(const Route&, const Route&) = default;
  };

  // The route's number, or kNone.
  std::uint32_t find(Route route) const { return slots_[slot_of(route)].number; }

  // The number of a route. Of a new one it is kNone, and to be set at once.
  std::uint32_t& at(Route route) {
    std::size_t slot = slot_of(route);
    if (slots_[slot].number == kNone) {
      if (2 * ++used_ > slots_.size()) {
        grow();
        slot = slot_of(route);
      }
      slots_[slot].route = route;
    }
    return slots_[slot].number;
  }

  // Forgets a known route.
  void erase(Route route) {
    --used_;
    const std::size_t mask = slots_.size() - 1;
    std::size_t hole = slot_of(route);
    // Whatever was pushed past the hole moves back, so that no search ends early.
    for (std::size_t s = (hole + 1) & mask; slots_[s].number != kNone; s = (s + 1) & mask) {
      if (((s - home(slots_[s].route)) & mask) >= ((s - hole) & mask)) {
        slots_[hole] = slots_[s];
        hole = s;
      }
    }
    slots_[hole] = {};
  }

 private:
  struct Slot {
    Route route{kNone, kNone};
    std::uint32_t number = kNone;
  };

  std::size_t home(Route route) const {
    const std::uint64_t key = (std::uint64_t{route.from} << 32 | route.to) * 0x9E3779B97F4A7C15u;
    return (key ^ key >> 32) & (slots_.size() - 1);
  }

  // Where the route is, or the free slot where it would be.
  std::size_t slot_of(Route route) const {
    std::size_t slot = home(route);
    while (slots_[slot].number != kNone && slots_[slot].route != route)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& s : old) {
      if (s.number != kNone) slots_[slot_of(s.route)] = s;
    }
  }

  std::vector<Slot> slots_{16};
  std::size_t used_ = 0;
};

}  // namespace a3sim
