#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "sim/core/error.h"
#include "sim/runtime/placements/host_placement.h"
#include "sim/runtime/rank_options.h"
#include "tests/runtime/small_machine.h"

namespace a3sim {
namespace {

using Catch::Matchers::Contains;

std::vector<std::uint32_t> dies_of_eight(const std::string& hosts) {
  Hardware hardware = small_machine();
  hardware.fabric.levels = {{"cluster", 64, 0, 1_us}};
  Diagnostics diagnostics;
  const Config root =
      Config::parse("parallel: {ep: 8, hosts: " + hosts + "}\n", "hosts.yaml", {}, diagnostics);
  const Parallel parallel = read_parallel(root.map("parallel"));
  const std::vector<RankOptions> ranks = read_ranks(root, 8, parallel, hardware.fabric);
  root.finish();
  diagnostics.throw_if_any();
  return dies_of(ranks);
}

TEST_CASE("Ranks lie on the dies that a list or a policy says") {
  CHECK(dies_of_eight("packed") == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(dies_of_eight("[9, 8, 7, 6, 5, 4, 3, 63]") == std::vector<std::uint32_t>{9, 8, 7, 6, 5, 4, 3, 63});
  CHECK(dies_of_eight("{kind: spread, group: 8, dies: 32}") ==
        std::vector<std::uint32_t>{0, 8, 16, 24, 1, 9, 17, 25});
  CHECK(dies_of_eight("{kind: packed, first: 40}") ==
        std::vector<std::uint32_t>{40, 41, 42, 43, 44, 45, 46, 47});
  CHECK(dies_of_eight("{kind: stride, step: 4}") == std::vector<std::uint32_t>{0, 4, 8, 12, 16, 20, 24, 28});
  CHECK(dies_of_eight("{kind: by_switch, group: 8, ranks: 3, dies: 32}") ==
        std::vector<std::uint32_t>{0, 1, 2, 8, 9, 10, 16, 17});
  const auto first = dies_of_eight("{kind: random, dies: 40}");
  CHECK(std::set<std::uint32_t>(first.begin(), first.end()).size() == 8);
  for (const std::uint32_t die : first) CHECK(die < 40);
  CHECK(dies_of_eight("{kind: random, dies: 40, seed: 2}") != first);
  CHECK(dies_of_eight("{kind: random, dies: 40, seed: 1}") == first);
}

TEST_CASE("A placement that does not fit is refused at its place") {
  CHECK_THROWS_WITH(dies_of_eight("[0, 1]"), Contains("2 dies for 8 ranks"));
  CHECK_THROWS_WITH(dies_of_eight("[0, 1, 2, 3, 4, 5, 6, 6]"), Contains("die 6 stands there twice"));
  CHECK_THROWS_WITH(dies_of_eight("[0, 1, 2, 3, 4, 5, 6, 64]"), Contains("hosts.yaml:1:"));
  CHECK_THROWS_WITH(dies_of_eight("{kind: spread, group: 8, dies: 30}"),
                    Contains("no whole number of groups"));
  CHECK_THROWS_WITH(dies_of_eight("{kind: random, dies: 7}"), Contains("dies"));
  CHECK_THROWS_WITH(dies_of_eight("{kind: by_switch, group: 8, ranks: 1, dies: 32}"),
                    Contains("need 8 switches of 8 dies: 64 dies, expected at most 32"));
  CHECK_THROWS_WITH(dies_of_eight("{kind: by_switch, group: 8, ranks: 9, dies: 32}"), Contains("ranks"));
  CHECK_THROWS_WITH(dies_of_eight("{kind: packed, first: 60}"), Contains("they need 68 dies"));
  CHECK_THROWS_WITH(dies_of_eight("{kind: near}"), Contains("unknown placement 'near'"));
}

}  // namespace
}  // namespace a3sim
