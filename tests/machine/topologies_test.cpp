#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>

#include "sim/core/config/config.h"
#include "sim/core/error.h"
#include "sim/network/cable_layout.h"

using namespace a3sim;

namespace {

std::unique_ptr<CableLayout> layout_of(const std::string& yaml) {
  Diagnostics diagnostics;
  const Config config = Config::parse("t: " + yaml, "layout.yaml", {}, diagnostics);
  const Config map = config.map("t");
  const auto kind = map.registered<TopologyKind>("kind");
  std::unique_ptr<CableLayout> layout = kind ? TopologyKinds::get(*kind).read(map) : nullptr;
  map.finish();
  diagnostics.throw_if_any();
  return layout;
}

// A cable's end without its number among several of one pair.
std::string node_of(std::string end) { return end.substr(0, end.find('#')); }

const char* const kLayouts[] = {
    "{kind: fat_tree, levels: [{name: leaf, down: 4, rate: 10 GB/s}, {name: spine, down: 3, up: 2, rate: 20 "
    "GB/s}]}",
    "{kind: fat_tree, copies: 3, levels: [{down: 2, up: 2, rate: 1 GB/s}, {down: 3, up: 2, cables: 2, rate: "
    "1 GB/s},"
    " {down: 2, up: 3, rate: 1 GB/s}]}",
    "{kind: two_level, leaves: 3, leaf: 4, spines: 2, rate: 10 GB/s, oversubscription: 2}",
    "{kind: rails, node: 4, unit: 3, units: 2, spines: 2, cables: 2, rate: 50 GB/s}",
    "{kind: full, hosts: 5, rate: 28 GB/s}",
    "{kind: torus, sizes: [{hosts: 4}, {hosts: 3}, {hosts: 2}], rate: 5 GB/s}",
    "{kind: dragonfly, groups: 5, routers: 2, hosts: 3, rate: 5 GB/s}",
};

}  // namespace

TEST_CASE(
    "every way between two hosts is a chain of cables from the one to the other, and no two are the same") {
  const std::string yaml = GENERATE(from_range(std::begin(kLayouts), std::end(kLayouts)));
  INFO(yaml);
  const auto layout = layout_of(yaml);
  for (std::uint32_t from = 0; from < layout->hosts(); ++from) {
    for (std::uint32_t to = 0; to < layout->hosts(); ++to) {
      if (from == to) continue;
      std::set<std::vector<std::uint32_t>> ways;
      std::size_t length = 0;
      for (std::uint32_t way = 0; way < layout->ways(from, to); ++way) {
        std::vector<std::uint32_t> cables;
        layout->append_way(from, to, way, cables);
        std::string at = "host" + std::to_string(from);
        for (const std::uint32_t c : cables) {
          REQUIRE(node_of(layout->cables().at(c).from) == at);
          at = node_of(layout->cables()[c].to);
        }
        REQUIRE(at == "host" + std::to_string(to));
        if (way == 0) length = cables.size();
        REQUIRE(cables.size() == length);  // all are as short
        REQUIRE(ways.insert(cables).second);
      }
      REQUIRE(layout->given_way(from, to) < layout->ways(from, to));
    }
  }
}

TEST_CASE("two hosts under one leaf meet there; others have a way over each spine, plane and cable") {
  const auto tree = layout_of(
      "{kind: fat_tree, copies: 7, levels: [{name: leaf, down: 4, rate: 1 GB/s},"
      " {name: spine, down: 3, up: 2, cables: 2, rate: 1 GB/s}]}");
  CHECK(tree->hosts() == 12);
  CHECK(tree->cables().size() == 7 * 2 * (12 + 3 * 2 * 2));
  CHECK(tree->ways(0, 3) == 7);
  CHECK(tree->ways(0, 4) == 7 * 2 * 2 * 2);
}

TEST_CASE(
    "routes by destination send all that goes to one host down one way, and shifts meet on no cable up") {
  // Zahavi 2012: on a full-bisection tree, in a shift (i to i + s) no two flows share a cable.
  const auto tree = layout_of(
      "{kind: fat_tree, levels: [{name: leaf, down: 4, rate: 1 GB/s},"
      " {name: spine, down: 4, up: 4, rate: 1 GB/s}]}");
  const RouteRule given{RouteRule::Kind::kGiven, 1, 1};
  for (std::uint32_t shift = 1; shift < 16; ++shift) {
    std::map<std::uint32_t, int> flows;
    for (std::uint32_t host = 0; host < 16; ++host) {
      for (const CableShare& share : cable_path(*tree, host, (host + shift) % 16, given))
        ++flows[share.cable];
    }
    for (const auto& [cable, count] : flows) {
      INFO("shift " << shift << ", " << tree->cables()[cable].name());
      CHECK(count == 1);
    }
  }
}

TEST_CASE("an even route's parts sum to one at each level, a hashed one's to its flows") {
  const std::string yaml = GENERATE(from_range(std::begin(kLayouts), std::end(kLayouts)));
  const auto layout = layout_of(yaml);
  for (const RouteRule rule :
       {RouteRule{RouteRule::Kind::kEven, 1, 1}, RouteRule{RouteRule::Kind::kHash, 7, 4}}) {
    for (std::uint32_t to = 1; to < layout->hosts(); ++to) {
      std::vector<std::uint32_t> way;
      layout->append_way(0, to, 0, way);
      double parts = 0;
      for (const CableShare& share : cable_path(*layout, 0, to, rule)) {
        CHECK(share.parts <= share.whole);
        parts += static_cast<double>(share.parts) / share.whole;
      }
      CHECK(parts == Approx(static_cast<double>(way.size())));
    }
  }
}

TEST_CASE("layouts that are too large are refused before they are made, with the key") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(layout_of("{kind: two_level, leaves: 60000, leaf: 60000, spines: 2, rate: 1 GB/s}"),
                    Contains("layout.yaml:1:") && Contains("leaves"));
  CHECK_THROWS_WITH(layout_of("{kind: torus, sizes: [{hosts: 60000}, {hosts: 60000}], rate: 1 GB/s}"),
                    Contains("sizes"));
  CHECK_THROWS_WITH(layout_of("{kind: fat_tree, levels: []}"), Contains("levels"));
  CHECK_THROWS_WITH(layout_of("{kind: mesh, hosts: 4}"), Contains("unknown topology 'mesh'"));
  CHECK_THROWS_WITH(layout_of("{kind: full, hosts: 4, rate: 0 GB/s}"), Contains("rate"));
  CHECK_THROWS_WITH(layout_of("{kind: full, hosts: 4, rate: 1 GB/s, leafs: 2}"), Contains("unknown key"));
}
