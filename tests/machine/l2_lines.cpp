#include <catch2/catch.hpp>
#include <list>
#include <set>

#include "sim/core/error.h"
#include "sim/core/rng.h"
#include "tests/machine/line_cache.h"

using namespace a3sim;

TEST_CASE("l2 lines: every policy keeps what fits and never more than fits") {
  for (const std::string& policy : policies()) {
    for (std::uint32_t ways : {1U, 3U, 24U, 25U, 64U}) {
      for (L2Hash hash : {L2Hash::kModulo, L2Hash::kXor}) {
        INFO(policy << ", " << ways << " ways");
        constexpr std::uint64_t kSets = 96;
        const std::uint64_t fits = ways * kSets;
        const auto cache = lines_of(spec_of(policy, ways, kSets, hash));

        // The xor permutes the sets within aligned blocks, so that an aligned range fills all alike.
        const std::uint64_t first = hash == L2Hash::kXor ? 2 * kSets : 5;

        const L2Traffic cold = touch(*cache, lines(first, fits));
        CHECK(cold.read == L2Traffic::Requests{0, fits * kPerLine, 0});
        CHECK(cold.hbm_read == fits * kL2Line);
        CHECK(touch(*cache, lines(first, fits)).read == L2Traffic::Requests{fits * kPerLine, 0, 0});

        touch(*cache, lines(9999, 3 * fits));
        std::uint64_t present = 0;
        for (std::uint64_t line = 0; line < 9999 + 4 * fits; ++line) present += cache->holds(line);
        CHECK(present == fits);
      }
    }
  }
}

TEST_CASE("l2 lines: every policy writes each dirty line back exactly once") {
  for (const std::string& policy : policies()) {
    INFO(policy);
    constexpr std::uint64_t kSets = 16, kWays = 24, kWritten = 5 * kSets * kWays;
    const auto cache = lines_of(spec_of(policy, kWays, kSets, L2Hash::kXor));
    const L2Traffic traffic = touch(*cache, lines(0, kWritten), true);
    CHECK(traffic.write == L2Traffic::Requests{0, kWritten * kPerLine, 0});
    CHECK(traffic.hbm_read == 0);
    CHECK(traffic.hbm_write == (kWritten - kSets * kWays) * kL2Line);
    CHECK(cache->flush() == kSets * kWays * kL2Line);
    CHECK(cache->flush() == 0);
    CHECK(touch(*cache, lines(0, kWritten)).hbm_write == 0);
  }
}

TEST_CASE("l2 lines: every policy evicts persistent lines last, and repeats itself") {
  for (const std::string& policy : policies()) {
    INFO(policy);
    constexpr std::uint64_t kSets = 4, kWays = 8, kKept = kSets * (kWays - 1);
    L2Traffic first;
    for (int run = 0; run < 2; ++run) {
      const auto cache = lines_of(spec_of(policy, kWays, kSets));
      touch(*cache, lines(0, kKept), false, L2Hint::kPersist);
      const L2Traffic scan = touch(*cache, lines(kKept, 50 * kSets));
      CHECK(scan.read.hit == 0);
      CHECK(touch(*cache, lines(0, kKept)).read.hit == kKept * kPerLine);
      // Only persistent lines are left in its sets: one of them has to go.
      touch(*cache, lines(2000, kSets), false, L2Hint::kPersist);
      touch(*cache, lines(3000, kSets));
      std::uint64_t kept = 0;
      for (std::uint64_t line = 0; line < kKept; ++line) kept += cache->holds(line);
      CHECK(kept + cache->holds(2000) + cache->holds(2001) + cache->holds(2002) + cache->holds(2003) ==
            kKept);
      Rng rng(3);
      L2Traffic traffic;
      for (int i = 0; i < 2000; ++i) traffic += touch(*cache, lines(rng.below(80), 1), rng.below(2) == 0);
      if (run == 0) first = traffic;
      CHECK(traffic == first);
    }
  }
}

TEST_CASE("l2 lines: the public sweeps give the published hit rates under LRU") {
  constexpr std::uint64_t kSweep = 301989888 / kL2Line, kSlices = 4, kPasses = 4;
  L2Spec spec{.size = 192_MiB};
  const auto whole = lines_of(spec);
  L2Traffic traffic;
  for (std::uint64_t pass = 0; pass < kPasses; ++pass) traffic += touch(*whole, lines(0, kSweep));
  CHECK(traffic.read.hit == 0);
  const auto sliced = lines_of(spec);
  traffic = {};
  for (std::uint64_t slice = 0; slice < kSlices; ++slice) {
    for (std::uint64_t pass = 0; pass < kPasses; ++pass) {
      traffic += touch(*sliced, lines(slice * kSweep / kSlices, kSweep / kSlices));
    }
  }
  CHECK(traffic.read == L2Traffic::Requests{(kPasses - 1) * kSweep * kPerLine, kSweep * kPerLine, 0});
}

TEST_CASE("l2 lines: a request that touches 128 bytes in part counts, and a line is fetched whole") {
  const auto cache = lines_of(spec_of("lru", 8, 8));
  // Bytes 500 to 1149: one request of line 0, four of line 1, one of line 2.
  const L2Traffic cold = touch(*cache, {500, 650});
  CHECK(cold.read == L2Traffic::Requests{0, 1 + 4 + 1, 0});
  CHECK(cold.hbm_read == 3 * kL2Line);
  CHECK(touch(*cache, {0, 500}).read == L2Traffic::Requests{4, 0, 0});
  // Three rows of two requests, a line apart.
  CHECK(touch(*cache, {10 * kL2Line, 2 * kL2Request, 3, kL2Line}).read == L2Traffic::Requests{0, 3 * 2, 0});
  CHECK(touch(*cache, {10 * kL2Line, 0, 3, kL2Line}) == L2Traffic{});
}

TEST_CASE("l2 lines: what bypasses allocates nothing, and is served where it is present") {
  const auto cache = lines_of(spec_of("lru", 2, 1));
  CHECK(touch(*cache, lines(0, 1), false, L2Hint::kBypass) == L2Traffic{{0, 0, kPerLine}, {}, kL2Line, 0});
  CHECK(touch(*cache, lines(0, 1), true, L2Hint::kBypass) == L2Traffic{{}, {0, 0, kPerLine}, 0, kL2Line});
  CHECK(!cache->holds(0));
  touch(*cache, lines(0, 1));
  touch(*cache, lines(1, 1));
  // Written through: line 0 stays clean, and as old as it was.
  CHECK(touch(*cache, lines(0, 1), true, L2Hint::kBypass) == L2Traffic{{}, {kPerLine, 0, 0}, 0, kL2Line});
  CHECK(!cache->dirty(0));
  touch(*cache, lines(2, 1));
  CHECK(!cache->holds(0));
  CHECK(cache->holds(1));
}

TEST_CASE("l2 lines: lines are never taken for one another") {
  for (L2Hash hash : {L2Hash::kModulo, L2Hash::kXor}) {
    for (std::uint64_t sets : {1U, 2U, 3U, 48U, 96U, 1001U}) {
      const auto cache = lines_of(spec_of("lru", 8, sets, hash));
      std::set<std::uint64_t> touched;
      Rng rng(sets);
      for (int i = 0; i < 2000; ++i) {
        const std::uint64_t line = rng.next() % cache->limit();
        CHECK(cache->holds(line) <= touched.contains(line));
        touch(*cache, lines(line, 1));
        CHECK(cache->holds(line));
        touched.insert(line);
      }
      CHECK_THROWS_AS(touch(*cache, lines(cache->limit(), 1)), std::out_of_range);
    }
  }
}

TEST_CASE("l2 lines: what cannot be built is refused") {
  CHECK_THROWS_WITH(check(spec_of("lru", 65, 8)), Catch::Contains("expected 1 to 64"));
  CHECK_THROWS_AS(check(spec_of("lru", 0, 8)), InputError);
  CHECK_THROWS_AS(check({.size = {1000}, .ways = 2}), InputError);
  CHECK_THROWS_AS(check({.size = {0}, .ways = 2}), InputError);
  CHECK_THROWS_WITH(make_line_l2(spec_of("mru", 8, 8), {}, 1),
                    Catch::Contains("known: " + Registry<L2Policy>::known()));
}
