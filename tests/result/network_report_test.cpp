#include "sim/result/network_report.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sim/compare/runs/what_if.h"
#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

Experiment ep16_on(const std::string& topology, const std::vector<std::string>& set = {}) {
  const std::string configs = configs_folder().string();
  return parse_experiment(
      "include: ['" + configs + "/experiments/ep16.yaml', '" + configs + "/topologies/" + topology + "']\n",
      configs + "/experiments/network_of_test.yaml", set);
}

nlohmann::json level_in(const nlohmann::json& json, const std::string& name) {
  for (const auto& level : json.at("levels"))
    if (level.at("level") == name) return level;
  return {};
}

}  // namespace

TEST_CASE(
    "The oversubscription that a tree is told to have is what its cables come to, and 1:1 binds nowhere") {
  const auto at = [](const char* oversubscription) {
    return nlohmann::json(
        network_report(ep16_on("two_to_one.yaml",
                               {std::string("network.topology.hccs.oversubscription=") + oversubscription}),
                       kNone, kNone)
            .json());
  };
  const nlohmann::json one = at("1"), four = at("4");
  CHECK(level_in(one, "leaf-spine").at("from below, over up") == "1:1");
  CHECK(level_in(four, "leaf-spine").at("from below, over up") == "4:1");
  CHECK(level_in(one, "leaf-spine").at("may_bind") == 0);
  // Four of a leaf's eight dies have a rank, and a quarter of their rate goes up: all 4 leaves times 4 spines.
  CHECK(level_in(four, "leaf-spine").at("may_bind") == 16);
  CHECK(level_in(four, "leaf-spine").at("cables") == 32);
  CHECK(level_in(nlohmann::json(network_report(ep16_on("ub_supernode.yaml"), kNone, kNone).json()),
                 "chip-switch")
            .at("from below, over up") == "1:1");
}

TEST_CASE("A route is told cable by cable, and its parts of one level sum to all bytes") {
  const nlohmann::json json = network_report(ep16_on("two_to_one.yaml"), 0, 15).json();
  double up = 0;
  for (const auto& cable : json.at("route"))
    if (cable.at("level") == "leaf-spine") up += cable.at("part").get<double>();
  CHECK(json.at("route").size() == 10);  // in, up over four spines, down, out
  CHECK(up == Approx(1));
  CHECK_THROWS_WITH(network_report(ep16_on("two_to_one.yaml"), 0, 16), Contains("rank 16 of a group of 16"));
  const std::filesystem::path ep8 = configs_folder() / "experiments" / "ep8.yaml";
  CHECK_THROWS_WITH(network_report(load_experiment(ep8, {}), kNone, kNone), Contains("network.topology"));
}

TEST_CASE("what-if makes one level of cables twice as fast, or a tenth, as its configuration would") {
  const std::vector<std::string> small{"model.tokens=256", "experiment.pass=forward",
                                       "network.topology.hccs.oversubscription=8"};
  const WhatIf result = what_if(ep16_on("two_to_one.yaml", small), JitterOptions::none(), 1);
  REQUIRE(result.levels.size() == 4);
  const auto level = std::ranges::find(result.levels, "leaf-spine", &CableLevel::name);
  REQUIRE(level != result.levels.end());
  CHECK(level->cables == 32);
  std::vector<std::string> slow = small;
  slow.push_back("network.damage=[{level: leaf-spine, factor: 0.1}]");
  const WhatIf tenth = what_if(ep16_on("two_to_one.yaml", slow), JitterOptions::none(), 1);
  CHECK(level->tenth.total() == tenth.now.total());
  CHECK(level->tenth.total() > result.now.total());
  CHECK(level->twice.total() <= result.now.total());
}
