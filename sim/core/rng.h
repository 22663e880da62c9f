#pragma once

#include <bit>
#include <cstdint>

namespace a3sim {

// The pseudo-random source of all draws: PCG XSL RR 128/64 (O'Neill 2014), bit for bit the `pcg64` of its
// author's library. The same seed and stream give the same numbers on every machine, which std's
// distributions do not promise.
class Rng {
 public:
  // Streams of one seed are independent sequences: give each rank, or each thing that is drawn, its own.
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0)
      : increment_((static_cast<Uint128>(stream) << 1) | 1),
        state_((seed + increment_) * kMultiplier + increment_) {}

  // Returns 64 uniform bits.
  std::uint64_t next() {
    state_ = state_ * kMultiplier + increment_;
    const auto high = static_cast<std::uint64_t>(state_ >> 64);
    return std::rotr(high ^ static_cast<std::uint64_t>(state_), static_cast<int>(high >> 58));
  }

  // Returns a uniform integer in [0, n), without bias. n must be positive.
  std::uint32_t below(std::uint32_t n) {
    // Lemire's multiplication: the low half tells whether the draw is in the part that would favour small
    // results.
    std::uint64_t product = (next() >> 32) * n;
    const std::uint32_t biased = -n % n;
    while (static_cast<std::uint32_t>(product) < biased) product = (next() >> 32) * n;
    return static_cast<std::uint32_t>(product >> 32);
  }

  // Returns a multiple of 2^-53, uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  using Uint128 = unsigned __int128;
  static constexpr Uint128 kMultiplier = (Uint128{0x2360ed051fc65da4} << 64) | 0x4385df649fccf645;

  Uint128 increment_;
  Uint128 state_;
};

}  // namespace a3sim
