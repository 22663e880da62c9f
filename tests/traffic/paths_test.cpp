#include <catch2/catch.hpp>

#include "sim/experiment/config/order_file.h"
#include "sim/traffic/traffic_paths.h"
#include "tests/experiment/small_experiment.h"

namespace a3sim {
namespace {

// All orders were once the configuration's own on a plan with copies of experts.
TEST_CASE("A path keeps its order where copies of experts make them more") {
  const Experiment experiment = small();
  const OrderSpec order = read_order_file(configs_folder() / "orders" / "naive.yaml");
  REQUIRE(order.name != experiment.order.name);
  const TrafficPath path{
      "order naive", std::make_shared<const Experiment>(with_order(experiment, order)), {}, false};
  constexpr std::uint32_t kMore = 2 * kEp * kExpertsPerRank;
  const Experiment on = on_counts(path, RoutingCounts(kEp, kMore), {}).of(experiment);
  CHECK(on.shape.experts() == kMore);
  CHECK(on.order.name == order.name);
  CHECK(on.routing.known);
}

}  // namespace
}  // namespace a3sim
