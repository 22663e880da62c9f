#include "sim/search/published_change.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/experiment/config/configs_folder.h"
#include "tests/search/small_search.h"

using namespace a3sim;

namespace {

std::optional<PublishedChange> nearest(const char* name, const std::vector<std::string>& set) {
  return nearest_published_change(load_experiment(configs_folder() / "experiments" / name, set), 1);
}

}  // namespace

TEST_CASE("the nearest published change is that of the same workload and pass with the nearest numbers") {
  // HyperParallel-MoE, table 3, forward: 16.3 ms kernel by kernel and 10.2 static at EP4; SwiGLU and Add: 723.29 and 588.38 us.
  const auto ep4 = nearest("ep4.yaml", {"experiment.pass=forward"});
  REQUIRE(ep4);
  CHECK(ep4->published == Approx(1 - 10.2 / 16.3));
  CHECK(ep4->error() < 0.05);
  const auto tiles = nearest("swiglu_add.yaml", {"graph.sizes.rows=16384"});
  REQUIRE(tiles);
  CHECK(tiles->published == Approx(1 - 588.38 / 723.29));
  CHECK(tiles->where.find("32768") != std::string::npos);
}

TEST_CASE("no change of a workload without published ones is made up") {
  CHECK_FALSE(nearest("elementwise.yaml", {}));
}

TEST_CASE("of MegaMoE's versions the pair with the nearest tokens counts") {
  // pto-isa: 634.77 and 627.77 us with 64 tokens at EP8; the other pair has 2,048.
  const auto small = nearest("mega_moe.yaml", {"parallel.ep=8", "model.tokens=128"});
  REQUIRE(small);
  CHECK(small->where.find("tokens 64") != std::string::npos);
  CHECK(small->published == Approx(1 - 627.77 / 634.77));
}
