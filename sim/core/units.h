#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <ratio>

namespace a3sim {

// Simulated time is counted in whole picoseconds, so that equal inputs give equal bytes.
using Duration = std::chrono::duration<std::int64_t, std::pico>;

struct SimClock {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<SimClock>;
  static constexpr bool is_steady = true;
};
using Time = SimClock::time_point;

inline constexpr Duration operator""_ps(unsigned long long n) {
  return Duration(static_cast<std::int64_t>(n));
}
inline constexpr Duration operator""_ns(unsigned long long n) {
  return Duration(static_cast<std::int64_t>(n) * 1'000);
}
inline constexpr Duration operator""_us(unsigned long long n) {
  return Duration(static_cast<std::int64_t>(n) * 1'000'000);
}

inline constexpr double seconds(Duration d) { return static_cast<double>(d.count()) * 1e-12; }
inline constexpr double microseconds(Duration d) { return static_cast<double>(d.count()) * 1e-6; }
inline constexpr double milliseconds(Duration d) { return static_cast<double>(d.count()) * 1e-9; }

// A size. Cannot be passed for a time or a rate.
struct Bytes {
  std::int64_t count = 0;
  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return {a.count - b.count}; }
  friend constexpr Bytes operator*(Bytes a, std::int64_t n) { return {a.count * n}; }
  constexpr Bytes& operator+=(Bytes b) { return count += b.count, *this; }
};
inline constexpr Bytes operator""_B(unsigned long long n) { return {static_cast<std::int64_t>(n)}; }
inline constexpr Bytes operator""_KiB(unsigned long long n) { return {static_cast<std::int64_t>(n) << 10}; }
inline constexpr Bytes operator""_MiB(unsigned long long n) { return {static_cast<std::int64_t>(n) << 20}; }

struct BytesPerSecond {
  std::int64_t count = 0;
  friend constexpr auto operator<=>(BytesPerSecond, BytesPerSecond) = default;
};

struct Hertz {
  std::int64_t count = 0;
  friend constexpr auto operator<=>(Hertz, Hertz) = default;
};

// Returns ceil(amount * 1e12 / per_second) in picoseconds. Computes with 128 bits, so no size overflows.
constexpr Duration ceil_time(std::int64_t amount, std::int64_t per_second) {
  const auto scaled = static_cast<__int128>(amount) * 1'000'000'000'000;
  return Duration(static_cast<std::int64_t>((scaled + per_second - 1) / per_second));
}

// Returns the time of a transfer, rounded up so that it never beats its link. The rate must be positive.
constexpr Duration transfer_time(Bytes size, BytesPerSecond rate) {
  return ceil_time(size.count, rate.count);
}

// Returns the time of whole clock cycles, rounded up. The clock must be positive.
constexpr Duration cycles_time(std::int64_t cycles, Hertz clock) { return ceil_time(cycles, clock.count); }

}  // namespace a3sim
