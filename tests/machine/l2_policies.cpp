#include <algorithm>
#include <catch2/catch.hpp>
#include <list>
#include <vector>

#include "sim/core/rng.h"
#include "tests/machine/line_cache.h"

using namespace a3sim;

namespace {

struct NaiveLine {
  std::uint64_t line;
  bool dirty;
};

// A set as a plain list of lines. LRU moves a line that is used again to the front, FIFO leaves it in its place.
struct NaiveSet {
  std::uint32_t ways;
  bool moves_hits;
  std::list<NaiveLine> order = {};  // the latest first

  bool access(std::uint64_t line, bool write, bool& written) {
    const auto found = std::ranges::find(order, line, &NaiveLine::line);
    if (found != order.end()) {
      found->dirty |= write;
      if (moves_hits) order.splice(order.begin(), order, found);
      return true;
    }
    order.push_front({line, write});
    if (order.size() > ways) {
      written = order.back().dirty;
      order.pop_back();
    }
    return false;
  }
};

void compare_with_lists(const std::string& policy, bool moves_hits) {
  for (std::uint32_t ways : {1U, 2U, 7U, 8U, 9U, 16U, 23U, 24U, 25U, 33U, 64U}) {
    for (std::uint64_t sets : {1U, 3U, 8U}) {
      const auto cache = lines_of(spec_of(policy, ways, sets));
      std::vector<NaiveSet> naive(sets, NaiveSet{ways, moves_hits});
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

TEST_CASE("l2 lines: LRU agrees with a list of lines") { compare_with_lists("lru", true); }

TEST_CASE("l2 lines: FIFO agrees with a list of lines") { compare_with_lists("fifo", false); }
