#include "sim/study/search/published_change.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/experiment/configs_folder.h"
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
  const auto tiles = nearest("swiglu_add.yaml", {"swiglu_add.rows=16384"});
  REQUIRE(tiles);
  CHECK(tiles->published == Approx(1 - 588.38 / 723.29));
  CHECK(tiles->where.find("32768") != std::string::npos);
}

TEST_CASE("no change of a workload without published ones is made up") {
  CHECK_FALSE(nearest("elementwise.yaml", {}));
}
