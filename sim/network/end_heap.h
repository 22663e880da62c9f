#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/core/ids.h"
#include "sim/network/fluid_time.h"

namespace a3sim {

// The times of ends by class: a binary heap that knows the place of each class.
class EndHeap {
 public:
  bool empty() const { return heap_.empty(); }
  const FluidTime& first() const { return heap_.front().time; }
  std::uint32_t first_class() const { return heap_.front().c; }

  // Sets or changes a class's time.
  void set(std::uint32_t c, const FluidTime& time) {
    if (place_.size() <= c) place_.resize(c + 1, kNone);
    if (place_[c] == kNone) {
      place_[c] = static_cast<std::uint32_t>(heap_.size());
      heap_.emplace_back();
    }
    sift(place_[c], {time, c});
  }
  // Removes the time of a class that has one.
  void erase(std::uint32_t c) {
    const std::size_t hole = std::exchange(place_[c], kNone);
    const End last = heap_.back();
    heap_.pop_back();
    if (hole < heap_.size()) sift(hole, last);
  }

 private:
  struct End {
    FluidTime time;
    std::uint32_t c;
    // Equal times are ordered by class number, so that the order is unique.
    bool before(const End& other) const { return time < other.time || (!(other.time < time) && c < other.c); }
  };

  void put(std::size_t place, const End& end) {
    heap_[place] = end;
    place_[end.c] = static_cast<std::uint32_t>(place);
  }

  // Puts an end into a hole and moves it up or down to its place.
  void sift(std::size_t hole, const End& end) {
    while (hole > 0 && end.before(heap_[(hole - 1) / 2])) {
      put(hole, heap_[(hole - 1) / 2]);
      hole = (hole - 1) / 2;
    }
    for (std::size_t child = 2 * hole + 1; child < heap_.size(); child = 2 * hole + 1) {
      if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
      if (!heap_[child].before(end)) break;
      put(hole, heap_[child]);
      hole = child;
    }
    put(hole, end);
  }

  std::vector<End> heap_;
  std::vector<std::uint32_t> place_;  // by class, or kNone
};

}  // namespace a3sim
