#include "sim/runtime/topology.h"

#include <catch2/catch.hpp>

#include "tests/runtime/small_machine.h"

namespace a3sim {
namespace {

constexpr Duration kNear = 200_ns, kNode = 700_ns, kFar = 2100_ns, kOther = 5_us;
constexpr BytesPerSecond kPair{187'000'000'000}, kSwitched{138'000'000'000}, kRoce{25'000'000'000},
    kCollective{105'000'000'000};
constexpr double kPayload = 0.974;

// Packages of 2 dies, nodes of 16, supernodes of 768.
Hardware four_levels() {
  Hardware hardware = small_machine();
  hardware.fabric.planes = {
      {"sio", kPair, kPair, kPair}, {"hccs", kSwitched, kSwitched, kSwitched}, {"rdma", kRoce, kRoce, kRoce}};
  hardware.fabric.levels = {{"package", 2, 0, kNear},
                            {"node", 16, 1, kNode},
                            {"supernode", 768, 1, kFar, kPayload},
                            {"cluster", kNone, 2, kOther}};
  return hardware;
}

Program with_collective() {
  Program program = small_program();
  program.collective.rate = kCollective;
  return program;
}

std::string level_of(std::uint32_t a, std::uint32_t b) {
  const std::vector<std::uint32_t> dies{a, b};
  return Topology(four_levels(), with_collective(), dies, Transport::kPuts).level(RankId{0}, RankId{1}).name;
}

TEST_CASE("Two dies meet at the nearest level that both belong to") {
  CHECK(level_of(0, 1) == "package");
  CHECK(level_of(1, 2) == "node");
  CHECK(level_of(0, 15) == "node");
  CHECK(level_of(15, 16) == "supernode");
  CHECK(level_of(767, 0) == "supernode");
  CHECK(level_of(767, 768) == "cluster");
}

TEST_CASE("A route goes by its own plane's ports, and only planes in use have some") {
  const std::vector<std::uint32_t> dies{0, 1, 2, 16};
  const Topology topology(four_levels(), with_collective(), dies, Transport::kPuts);
  CHECK(topology.ports().egress.size() == 2 * dies.size());
  const auto pair = topology.route(RankId{1}, RankId{0}), node = topology.route(RankId{1}, RankId{2}),
             far = topology.route(RankId{3}, RankId{1});
  CHECK(pair.from != node.from);
  CHECK(node.from == topology.route(RankId{1}, RankId{3}).from);
  CHECK(far.to == topology.route(RankId{2}, RankId{1}).to);
  CHECK(pair.port == kPair);
  CHECK(node.port == kSwitched);
  CHECK(node.payload == 1);
  CHECK(far.payload == kPayload);
  CHECK(far.latency == kFar);
  CHECK(topology.farthest() == kFar);
}

TEST_CASE("Ranks two dies apart have no package in common, and one port each") {
  const std::vector<std::uint32_t> dies{0, 2, 4, 6};
  const Topology topology(four_levels(), with_collective(), dies, Transport::kPuts);
  CHECK(topology.ports().egress.size() == dies.size());
  CHECK(topology.farthest() == kNode);
}

TEST_CASE("A collective has its rate over all planes together, and slower planes at their own") {
  const std::vector<std::uint32_t> dies{0, 1, 2, 768};
  const Topology topology(four_levels(), with_collective(), dies, Transport::kCollective);
  CHECK(topology.ports().egress.size() == 2 * dies.size());
  CHECK(topology.route(RankId{0}, RankId{1}).from == topology.route(RankId{0}, RankId{2}).from);
  CHECK(topology.route(RankId{0}, RankId{2}).port == kCollective);
  CHECK(topology.route(RankId{0}, RankId{3}).port == kRoce);
}

TEST_CASE("A rank alone has no ports") {
  const std::vector<std::uint32_t> dies{5};
  const Topology topology(four_levels(), with_collective(), dies, Transport::kPuts);
  CHECK(topology.ports().egress.empty());
  CHECK(topology.farthest() == Duration::zero());
}

}  // namespace
}  // namespace a3sim
