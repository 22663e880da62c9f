#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/core/units.h"

namespace a3sim {

// What the tasks of one device share.
enum class Resource : std::uint8_t { kL2Read, kL2Write, kHbmRead, kHbm };  // kHbm: reads and writes together
inline constexpr std::uint32_t kResources = 4;
constexpr std::string_view name_of(Resource r) {
  constexpr std::string_view kNames[] = {"L2 read", "L2 write", "HBM read", "HBM"};
  return kNames[static_cast<std::uint8_t>(r)];
}

// A piece of work that uses memory: how long it takes alone, and the bytes that it then moves through each resource.
struct MemoryJob {
  Duration ideal;                                  // positive
  std::array<double, kResources> bytes{};          // over its whole length
};

// Time that a job lost to each resource beyond its ideal.
struct MemoryLoss {
  std::array<Duration, kResources> lost{};         // sums exactly to (end - start) - ideal
};

// One device's memory, shared max-min by what runs at the time: every job goes at the speed 0 < x <= 1 of its own ideal;
// speeds change only when a job starts or ends or the reserved rates change. Fairness is in bytes a second of L2 traffic.
class Memory {
 public:
  // Capacities in bytes a second, and at most `slots` jobs at a time (one a worker).
  Memory(std::array<double, kResources> capacity, std::uint32_t slots);

  // `now` never decreases. A slot holds one job at a time. Speeds are solved once a date, by settle().
  void start(Time now, std::uint32_t slot, const MemoryJob& job);
  // Rates that are served first (puts).
  void reserve(Time now, const std::array<double, kResources>& rates);
  // Solves the speeds after all changes of this date; returns the date of the next end (Time::max(): none).
  Time settle(Time now);
  // Appends the slots whose jobs have ended by `now`, in order of slot.
  void advance(Time now, std::vector<std::uint32_t>& ended);
  // What the last job of a slot lost; valid from its end to the slot's next start.
  const MemoryLoss& loss(std::uint32_t slot) const;
  // Bytes moved through each resource by jobs so far.
  const std::array<double, kResources>& moved() const;

 private:
  struct Slot;
};

}  // namespace a3sim
