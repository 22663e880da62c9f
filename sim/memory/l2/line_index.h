#pragma once

#include <bit>
#include <cstdint>

#include "sim/memory/l2/l2.h"

namespace a3sim {

// The place of a line: its set, and the tag that identifies it within the set.
class LineIndex {
 public:
  struct Place {
    std::uint32_t set;
    std::uint16_t tag;
  };

  // `sets` must be positive.
  LineIndex(std::uint32_t sets, L2Hash hash)
      : sets_(sets),
        shift_(static_cast<std::uint32_t>(std::countr_zero(sets))),
        odd_(sets >> shift_),
        reciprocal_(odd_ == 1 ? 0 : ~std::uint64_t{0} / odd_ + 1),
        mix_(hash == L2Hash::kXor ? (1U << shift_) - 1 : 0) {}

  // Returns the number of lines that have a unique tag in their set.
  std::uint64_t limit() const { return std::uint64_t{sets_} * 0xffff; }

  Place operator()(std::uint64_t line) const {
    const std::uint64_t upper = line >> shift_;
    const std::uint64_t tag = odd_ == 1 ? upper : divide(upper);
    const auto set = static_cast<std::uint32_t>(line - tag * sets_);
    // All lines of an aligned block of 2^shift lines take the same pattern: within it, sets are permuted.
    const auto pattern = static_cast<std::uint32_t>((upper * kGolden) >> 32) & mix_;
    return {set ^ pattern, static_cast<std::uint16_t>(tag)};
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: Fibonacci hashing

  // Exact for upper * odd < 2^64, which limit() is far below.
  std::uint64_t divide(std::uint64_t upper) const {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(upper) * reciprocal_) >> 64);
  }

  std::uint32_t sets_;
  std::uint32_t shift_;  // sets = odd * 2^shift
  std::uint32_t odd_;
  std::uint64_t reciprocal_;  // ceil(2^64 / odd)
  std::uint32_t mix_;
};

}  // namespace a3sim
