#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/units.h"
#include "sim/runtime/cable_use.h"

namespace a3sim {

// Records the rates at which cables carry bytes over time. The memory is bounded: bytes are summed in at most 2048 equal
// parts of the time so far.
class CableRecords {
 public:
  explicit CableRecords(std::size_t cables = 0);

  // Notes that the cables carry these bytes per second from `now` on. Times must not decrease.
  void note(Time now, std::span<const double> rates);
  // Notes that a cable can carry no more from `now` on, or that it can again.
  void note_full(Time now, std::size_t cable, bool full);

  // Returns the stretches of time before `until` in which a cable was full.
  std::vector<CableStretch> full_stretches(std::size_t cable, Time until) const;
  // Splits the time from the start to `until`, not before the last note, into `stretches` equal parts. Returns the mean
  // bytes per second of a cable in each, as if the bytes of each part of the record were sent evenly.
  std::vector<double> means(std::size_t cable, Time until, std::size_t stretches) const;

 private:
  struct Fullness {
    bool is_full = false;
    std::int64_t since = 0;  // picoseconds, as all times here
    std::vector<CableStretch> stretches{};
  };
  void carry(std::int64_t to);
  void widen();

  std::int64_t since_ = 0;
  int shift_;                    // binary logarithm of a part's length
  std::vector<double> rates_;    // by cable, since then
  std::vector<double> current_;  // by cable: rate times picoseconds in the part of `since_`
  std::vector<double> past_;     // by part before that, and cable
  std::vector<Fullness> fullness_;
};

}  // namespace a3sim
