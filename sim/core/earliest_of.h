#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace a3sim {

// A table of times, one per slot, that finds the earliest. Slots are grouped, and each group caches its
// earliest time.
class EarliestOf {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  explicit EarliestOf(std::size_t slots)
      : times_((slots + kGroup - 1) / kGroup * kGroup, kNever), least_(times_.size() / kGroup, kNever) {}

  std::int64_t operator[](std::size_t slot) const { return times_[slot]; }
  void set(std::size_t slot, std::int64_t time) {
    std::int64_t& least = least_[slot / kGroup];
    const bool was_least = times_[slot] == least;
    times_[slot] = time;
    if (time <= least) {
      least = time;
    } else if (was_least) {
      const std::int64_t* const group = &times_[slot / kGroup * kGroup];
      least = *std::min_element(group, group + kGroup);
    }
  }

  std::int64_t earliest() const {
    std::int64_t earliest = kNever;
    for (const std::int64_t least : least_) earliest = std::min(earliest, least);
    return earliest;
  }

  // Calls visit(slot) for all slots with times up to `time`, in slot order. `visit` may change its slot's
  // time.
  template <class Visit>
  void each_until(std::int64_t time, Visit&& visit) const {
    for (std::size_t group = 0; group < least_.size(); ++group) {
      if (least_[group] > time) continue;
      for (std::size_t slot = group * kGroup; slot < (group + 1) * kGroup; ++slot) {
        if (times_[slot] <= time) visit(slot);
      }
    }
  }

 private:
  static constexpr std::size_t kGroup = 8;

  std::vector<std::int64_t> times_, least_;  // by slot, by group
};

}  // namespace a3sim
