#include <catch2/catch.hpp>
#include <list>
#include <set>

#include "sim/core/error.h"
#include "sim/core/rng.h"
#include "tests/machine/line_cache.h"

using namespace a3sim;

namespace {

// Sets as plain lists, written from the papers' words.
struct NaiveLine {
  std::uint64_t line;
  bool dirty;
  int prediction;
};

struct NaiveLru {
  std::list<NaiveLine> order;  // the latest first
  std::uint32_t ways;

  bool access(std::uint64_t line, bool write, bool& written) {
    bool dirty = write, hit = false;
    for (auto it = order.begin(); it != order.end(); ++it) {
      if (it->line != line) continue;
      dirty |= it->dirty;
      order.erase(it);
      hit = true;
      break;
    }
    order.push_front({line, dirty, 0});
    if (order.size() > ways) {
      written = order.back().dirty;
      order.pop_back();
    }
    return hit;
  }
};

struct NaiveSrrip {
  std::vector<NaiveLine> at;
  std::uint32_t ways;

  bool access(std::uint64_t line, bool write, bool& written) {
    for (NaiveLine& there : at) {
      if (there.line != line) continue;
      there.prediction = 0;
      there.dirty |= write;
      return true;
    }
    if (at.size() < ways) {
      at.push_back({line, write, 2});
      return false;
    }
    for (;;) {
      for (NaiveLine& there : at) {
        if (there.prediction != 3) continue;
        written = there.dirty;
        there = {line, write, 2};
        return false;
      }
      for (NaiveLine& there : at) ++there.prediction;
    }
  }
};

template <class Naive>
void compare_with(const std::string& policy) {
  for (std::uint32_t ways : {1U, 2U, 7U, 8U, 9U, 16U, 23U, 24U, 25U, 33U, 64U}) {
    for (std::uint64_t sets : {1U, 3U, 8U}) {
      const auto cache = lines_of(spec_of(policy, ways, sets));
      std::vector<Naive> naive(sets, Naive{{}, ways});
      Rng rng(ways, sets);
      for (int i = 0; i < 3000; ++i) {
        const std::uint64_t line = rng.below(static_cast<std::uint32_t>(2 * ways * sets));
        const bool write = rng.below(3) == 0;
        bool written = false;
        const bool hit = naive[line % sets].access(line, write, written);
        const L2Traffic traffic = touch(*cache, lines(line, 1), write);
        REQUIRE((write ? traffic.write.hit : traffic.read.hit) == (hit ? kPerLine : 0));
        REQUIRE(traffic.hbm_write == (written ? kL2Line : 0));
      }
    }
  }
}

}  // namespace

TEST_CASE("l2 lines: LRU agrees with a list of lines") { compare_with<NaiveLru>("lru"); }

TEST_CASE("l2 lines: SRRIP agrees with counted predictions") { compare_with<NaiveSrrip>("srrip"); }

TEST_CASE("l2 lines: SRRIP ages persistent lines with the others, but not past the most distant") {
  const auto cache = lines_of(spec_of("srrip", 2, 1));
  touch(*cache, lines(0, 1));
  touch(*cache, lines(1, 1), false, L2Hint::kPersist);
  touch(*cache, lines(2, 1));                           // replaces 0; 1 is now predicted distant
  touch(*cache, lines(3, 1), false, L2Hint::kPersist);  // replaces 2
  touch(*cache, lines(4, 1));
  CHECK(!cache->holds(1));
  CHECK(cache->holds(3));
}

TEST_CASE("l2 lines: random evicts every way about as often") {
  constexpr std::uint64_t kWays = 24, kRounds = 24000;
  const auto cache = lines_of(spec_of("random", kWays, 1));
  L2Traffic traffic;
  for (std::uint64_t i = 0; i < kRounds; ++i) traffic += touch(*cache, lines(i % (kWays + 1), 1));
  // One line is absent at any time, and the miss that brings it in evicts any of the others; the next absent
  // line is met after 1..W steps, on average (W + 1) / 2.
  const double expected = 1 - 2.0 / (kWays + 1);
  CHECK(traffic.read.hit_rate() == Approx(expected).margin(0.01));
}

TEST_CASE("l2 lines: DRRIP keeps a part of a cyclic sweep that thrashes SRRIP and LRU") {
  constexpr std::uint64_t kWays = 24, kSets = 1024, kFits = kWays * kSets;
  for (const std::string policy : {"drrip", "srrip", "lru"}) {
    const auto cache = lines_of(spec_of(policy, kWays, kSets));
    L2Traffic traffic;
    for (int pass = 0; pass < 20; ++pass) traffic += touch(*cache, lines(0, 2 * kFits));
    if (policy == "drrip") {
      CHECK(traffic.read.hit_rate() > 0.3);
    } else {
      CHECK(traffic.read.hit == 0);
    }
  }
}
