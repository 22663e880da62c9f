#include "sim/runtime/fetches.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <utility>

#include "sim/core/rng.h"

namespace a3sim {

TEST_CASE("the fetches of a place are those that began there and have not ended") {
  constexpr std::uint32_t kWorkers = 25, kPlaces = 400;  // more than there are chains
  Fetches fetches(kWorkers);
  using Access = std::pair<std::uint32_t, std::uint32_t>;  // worker, which of its two
  std::map<Access, std::uint32_t> places;
  Rng rng(3);
  for (int change = 0; change < 20'000; ++change) {
    const Access access{rng.below(kWorkers), rng.below(2)};
    if (rng.below(3) == 0) {
      fetches.end(access.first, access.second);
      places.erase(access);
    } else {
      // Half of all meet at few places.
      places[access] = rng.below(2) ? rng.below(kPlaces) : rng.below(4) * 961;
      fetches.begin(access.first, access.second, places[access]);
    }
    const std::uint32_t asked = rng.below(2) ? rng.below(kPlaces) : rng.below(4) * 961;
    std::multiset<Access> found, expected;
    fetches.each(asked, [&](std::uint32_t worker, std::uint32_t which) { found.insert({worker, which}); });
    for (const auto& [who, place] : places)
      if (place == asked) expected.insert(who);
    REQUIRE(found == expected);
  }
}

}  // namespace a3sim
