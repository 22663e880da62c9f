#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/ids.h"
#include "sim/core/units.h"

namespace a3sim {

// The time in which a rank was idle because of other ranks: in total, and the longest stretch.
struct RankWaits {
  Duration waited{}, longest{};
  std::uint32_t whom = kNone;  // the rank that caused the longest stretch

  void add(Duration time, std::uint32_t rank) {
    waited += time;
    if (time <= longest) return;
    longest = time;
    whom = rank;
  }
};

// Measures the time in which at least one of several activities is under way.
class BusyTime {
 public:
  void begin(Time now) {
    if (running_++ == 0) since_ = now;
  }
  void end(Time now) {
    if (--running_ == 0) total_ += now - since_;
  }
  bool any() const { return running_ > 0; }
  Duration total() const { return total_; }

 private:
  std::uint32_t running_ = 0;
  Time since_;
  Duration total_{};
};

}  // namespace a3sim
