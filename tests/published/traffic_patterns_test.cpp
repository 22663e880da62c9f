#include "sim/published/traffic_patterns.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

namespace a3sim {
namespace {

constexpr BytesPerSecond kHostPort{100'000'000'000};

std::unique_ptr<CableLayout> layout_of_yaml(const std::string& yaml) {
  Diagnostics diagnostics;
  const Config config = Config::parse(yaml, "topology.yaml", {}, diagnostics);
  auto layout = TopologyKinds::get(config.text("kind")).read(config);
  diagnostics.throw_if_any();
  return layout;
}

const std::string kFull = "{kind: two_level, leaves: 4, leaf: 4, spines: 4, rate: 100 GB/s}";

TEST_CASE("Where no cable binds every pair gets its port, and single ways cost some of it") {
  const auto layout = layout_of_yaml(kFull);
  CHECK(effective_bisection(*layout, {RouteRule::Kind::kEven}, kHostPort, 5, 1) == Approx(1));
  const double hashed = effective_bisection(*layout, {RouteRule::Kind::kHash}, kHostPort, 200, 1);
  CHECK(hashed < 0.95);
  CHECK(hashed > 0.5);
  CHECK(effective_bisection(*layout, {RouteRule::Kind::kHash}, kHostPort, 200, 1) == hashed);
}

TEST_CASE("Flows that share one cable get halves of it, and the rest when one ends") {
  // Leaves of two hosts, one spine, one cable of 100 GB/s up: both hosts of leaf 0 send to leaf 1.
  const auto layout =
      layout_of_yaml("{kind: two_level, leaves: 2, leaf: 2, spines: 1, rate: 100 GB/s, oversubscription: 2}");
  const std::vector<double> ends =
      ends_of_flows(*layout, {}, kHostPort, {{0, 2, 100'000'000}, {1, 3, 300'000'000}});
  CHECK(ends[0] == Approx(2e-3));
  CHECK(ends[1] == Approx(4e-3));
}

TEST_CASE("An exchange over nodes is as fast as its busiest NIC") {
  const auto layout = layout_of_yaml("{kind: two_level, leaves: 1, leaf: 4, spines: 1, rate: 100 GB/s}");
  NodeExchange exchange;
  exchange.nodes = 4;
  exchange.node = 1;
  exchange.experts = 4;
  exchange.top_k = 4;  // every token goes everywhere
  exchange.tokens = 1000;
  const NodeExchangeResult all = exchange_over_nodes(exchange, *layout, {}, kHostPort, kHostPort);
  CHECK(all.between == 3 * 1000.0 * 7168);
  CHECK(all.with_own == 4 * 1000.0 * 7168);
  CHECK(all.with_own / all.time == Approx(100e9 * 4 / 3));  // NIC x N / (N - 1)
  exchange.top_k = 1;
  const NodeExchangeResult one = exchange_over_nodes(exchange, *layout, {}, kHostPort, kHostPort);
  CHECK(one.with_own == 1000.0 * 7168);
  CHECK(one.between == Approx(0.75 * 1000 * 7168).epsilon(0.05));
  CHECK(one.between / one.time <= 100e9 * (1 + 1e-9));
  // A token may go to one node only: all of its four experts are there.
  exchange.node = 2;
  exchange.nodes = 2;
  exchange.experts = 8;
  exchange.top_k = 4;
  exchange.groups = 1;
  const NodeExchangeResult grouped = exchange_over_nodes(exchange, *layout, {}, kHostPort, kHostPort);
  CHECK(grouped.with_own == 1000.0 * 7168);
}

TEST_CASE("A node's own links hold the exchange up where they are slow") {
  const auto layout = layout_of_yaml("{kind: two_level, leaves: 1, leaf: 4, spines: 1, rate: 100 GB/s}");
  NodeExchange exchange;
  exchange.nodes = 2;
  exchange.node = 2;
  exchange.experts = 4;
  exchange.top_k = 4;
  exchange.tokens = 100;
  // Each row meets its node's other device: 2 nodes x 100 tokens through a device's link.
  const NodeExchangeResult slow = exchange_over_nodes(exchange, *layout, {}, kHostPort, {1'000'000'000});
  CHECK(slow.time == Approx(2 * 100 * 7168 / 1e9));
}

}  // namespace
}  // namespace a3sim
