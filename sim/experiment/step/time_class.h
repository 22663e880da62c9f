#pragma once

#include <array>
#include <cstdint>
#include <numeric>

#include "sim/core/enum_names.h"
#include "sim/core/units.h"

namespace a3sim {

// Divides a die's time. Each moment belongs to the first of these classes that is active then.
enum class TimeClass : std::uint8_t {
  kGrouped,   // products of routed experts
  kProducts,  // other products
  kAttention,
  kVector,  // vector kernels, while none of the above runs
  kEp,      // exposed: classes from here on count only while no kernel runs
  kTp,
  kDp,
  kPp,         // sends between stages, and keys that go round a CP group
  kBubble,     // waiting for other stages
  kHost,       // waiting for launches
  kOptimizer,  // update, and loading and storing of states
  kRest
};
constexpr auto names_of(TimeClass) {
  return std::to_array<std::string_view>({"grouped products", "other products", "attention", "vector alone",
                                          "EP", "TP", "DP", "PP and CP", "bubble", "host", "optimizer",
                                          "rest"});
}
inline constexpr std::uint32_t kTimeClasses = kCountOf<TimeClass>;

using ClassTimes = std::array<Duration, kTimeClasses>;
inline Duration& at(ClassTimes& times, TimeClass kind) { return times[static_cast<std::size_t>(kind)]; }
inline Duration at(const ClassTimes& times, TimeClass kind) { return times[static_cast<std::size_t>(kind)]; }
inline Duration sum_of(const ClassTimes& times) {
  return std::accumulate(times.begin(), times.end(), Duration::zero());
}
inline void add(const ClassTimes& more, ClassTimes& times) {
  for (std::uint32_t c = 0; c < kTimeClasses; ++c) times[c] += more[c];
}
// Scales the classes to another total, exact to the picosecond: the largest class takes the rounding error.
ClassTimes scaled(const ClassTimes& times, Duration total);

}  // namespace a3sim
