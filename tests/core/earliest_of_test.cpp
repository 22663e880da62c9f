#include "sim/core/earliest_of.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/core/rng.h"

namespace a3sim {

TEST_CASE(
    "the earliest of some times, and the slots of all until a time, are those that looking at each finds") {
  constexpr std::int64_t kNever = EarliestOf::kNever;
  for (const std::uint32_t slots : {1U, 7U, 8U, 9U, 75U}) {
    EarliestOf times(slots);
    std::vector<std::int64_t> plain(slots, kNever);
    CHECK(times.earliest() == kNever);
    Rng rng(slots);
    for (int change = 0; change < 2000; ++change) {
      // Few times, so that many are equal; one of four is taken away.
      const std::uint32_t slot = rng.below(slots);
      plain[slot] = rng.below(4) == 0 ? kNever : rng.below(20);
      times.set(slot, plain[slot]);
      REQUIRE(times[slot] == plain[slot]);
      REQUIRE(times.earliest() == std::ranges::min(plain));
      const std::int64_t until = rng.below(20);
      std::vector<std::size_t> found, expected;
      times.each_until(until, [&](std::size_t s) { found.push_back(s); });
      for (std::size_t s = 0; s < slots; ++s)
        if (plain[s] <= until) expected.push_back(s);
      REQUIRE(found == expected);
    }
  }
}

TEST_CASE("what is found until a time may be given another one meanwhile") {
  EarliestOf times(20);
  for (std::size_t slot = 0; slot < 20; ++slot) times.set(slot, 5);
  std::size_t found = 0;
  times.each_until(5, [&](std::size_t slot) {
    ++found;
    times.set(slot, EarliestOf::kNever);
  });
  CHECK(found == 20);
  CHECK(times.earliest() == EarliestOf::kNever);
}

}  // namespace a3sim
