#include "sim/diagnosis/rules/slow_cables.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "bench/score/score.h"
#include "sim/diagnosis/jobs/cable_plan.h"
#include "sim/diagnosis/jobs/monitor.h"
#include "sim/diagnosis/observe/file_observation.h"
#include "sim/experiment/config/configs_folder.h"
#include "tests/scratch_directory.h"

namespace a3sim {
namespace {

using PairSet = std::set<std::pair<std::uint32_t, std::uint32_t>>;

const std::vector<std::string> kHashed{"network.routes.hccs={kind: hash, seed: 3, flows: 1}"};

// 16 ranks under four leaves of 8 dies, four spines.
Experiment sixteen_on_tree(const std::vector<std::string>& set) {
  const std::string configs = configs_folder().string();
  return parse_experiment(
      "include: ['" + configs + "/experiments/ep16.yaml', '" + configs + "/topologies/two_to_one.yaml']\n",
      configs + "/experiments/tree_of_test.yaml", set);
}

// Whose bytes cross each cable.
std::map<std::string, PairSet> pairs_of_cables(const std::vector<ObservedCables>& cables) {
  std::map<std::string, PairSet> pairs;
  for (const ObservedCables& alike : cables)
    for (const std::string& name : alike.names)
      for (const ObservedCables::Way& way : alike.ways) pairs[name].insert({way.src, way.dst});
  return pairs;
}

// Rates that noise moves by a few per cent, where these pairs have a part of it.
LinkRates rates_with_slow(std::uint32_t ranks, const PairSet& slow, double factor, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> noise(-0.03, 0.03);
  LinkRates rates(ranks);
  for (std::uint32_t s = 0; s < ranks; ++s)
    for (std::uint32_t d = 0; d < ranks; ++d)
      if (s != d) rates.cells[s][d] = noise(random) + (slow.contains({s, d}) ? std::log(factor) : 0);
  return rates;
}

bool is_meant(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

TEST_CASE("Each cable of a tree under hashed routes is found by the pairs that it slows, wherever it lies") {
  const std::vector<ObservedCables> cables = planned_cables(sixteen_on_tree(kHashed));
  const auto pairs = pairs_of_cables(cables);
  REQUIRE(pairs.size() == 32);
  std::size_t alone = 0;
  for (const auto& [name, slow] : pairs) {
    INFO(name);
    const auto found = slow_cables_of(rates_with_slow(16, slow, 0.5, 7), cables);
    REQUIRE(found);
    CHECK(is_meant(found->names, name));
    CHECK(found->factor == Approx(0.5).epsilon(0.05));
    CHECK(found->fit > found->port_fit);
    // What else is named carries the same transfers, as far as it is one cable.
    for (const std::string& other : found->names)
      if (const auto same = pairs.find(other); same != pairs.end()) CHECK(same->second == slow);
    alone += found->names.size() == 1 ? 1 : 0;
  }
  CHECK(alone >= 24);
}

TEST_CASE("A cable that is slow both ways is named as one, and a switch as a switch") {
  const std::vector<ObservedCables> cables = planned_cables(sixteen_on_tree(kHashed));
  const auto pairs = pairs_of_cables(cables);
  PairSet both = pairs.at("leaf2->spine1");
  both.insert(pairs.at("spine1->leaf2").begin(), pairs.at("spine1->leaf2").end());
  const auto cable = slow_cables_of(rates_with_slow(16, both, 0.3, 1), cables);
  REQUIRE(cable);
  CHECK(cable->names == std::vector<std::string>{"leaf2-spine1"});
  PairSet at_switch;
  for (const auto& [name, of_cable] : pairs)
    if (name.starts_with("spine3->")) at_switch.insert(of_cable.begin(), of_cable.end());
  const auto spine = slow_cables_of(rates_with_slow(16, at_switch, 0.6, 2), cables);
  REQUIRE(spine);
  CHECK(spine->names == std::vector<std::string>{"switch spine3"});
}

TEST_CASE("Cables that even routes load alike cannot be told apart, and all of them are named") {
  const std::vector<ObservedCables> cables = planned_cables(sixteen_on_tree({}));
  const auto pairs = pairs_of_cables(cables);
  const auto found = slow_cables_of(rates_with_slow(16, pairs.at("leaf1->spine0"), 0.4, 3), cables);
  REQUIRE(found);
  CHECK(found->names ==
        std::vector<std::string>{"leaf1->spine0", "leaf1->spine1", "leaf1->spine2", "leaf1->spine3"});
}

TEST_CASE("A slow port is explained by no cable better, and equal rates by none at all") {
  const std::vector<ObservedCables> cables = planned_cables(sixteen_on_tree(kHashed));
  PairSet of_port;
  for (std::uint32_t d = 0; d < 16; ++d)
    if (d != 5) of_port.insert({5, d});
  const auto found = slow_cables_of(rates_with_slow(16, of_port, 0.4, 4), cables);
  REQUIRE(found);
  CHECK(found->port_fit > found->fit + 0.3);
  const auto nothing = slow_cables_of(rates_with_slow(16, {}, 1, 5), cables);
  if (nothing) CHECK(nothing->factor > 0.95);
  CHECK_FALSE(slow_cables_of(rates_with_slow(16, of_port, 0.4, 4), {}));
}

// The faults of a job on the tree, as advice finds them.
ScoredJob score_of_fault(const std::string& fault, const std::vector<std::string>& more, Advice& advice) {
  const ScratchDirectory scratch;
  const std::filesystem::path configs = configs_folder();
  std::vector<std::string> sets{"model.tokens=1024", "experiment.pass=forward", "model.hidden=2048",
                                "faults=[" + fault + "]"};
  sets.insert(sets.end(), more.begin(), more.end());
  const std::filesystem::path file =
      scratch.add("job.yaml", "include: ['" + (configs / "experiments/ep16.yaml").string() + "', '" +
                                  (configs / "topologies/two_to_one.yaml").string() + "']\n");
  const JobSpec spec = load_job(file, sets, {});
  MonitorOptions options;
  options.steps = 8;
  const std::filesystem::path job = scratch.path() / "job";
  monitor(spec, options, [&](std::string_view name, std::string_view contents) {
    std::filesystem::create_directories((job / name).parent_path());
    std::ofstream(job / name, std::ios::binary) << contents;
  });
  const FileObservation observation(job);
  const RuleBook rules = read_rules(configs / "advice");
  advice = advise(observation, rules);
  return score(observation, job / "truth.json", rules,
               read_answers(std::filesystem::path(A3SIM_SOURCE_DIR) / "bench/score/answers.yaml"));
}

TEST_CASE("advice finds the slow cable of a simulated job, flapping or steady, by the records of its puts",
          "[slow]") {
  const std::string faults[] = {
      "{kind: cable, cable: leaf3-spine1, factor: 0.1, steps: [3, 7]}",
      "{kind: cable, cable: leaf0->spine2, factor: 0.1, steps: [3, 7]}",
      "{kind: cable, switch: spine0, factor: 0.1, steps: [3, 7]}",
      "{kind: cable, cable: leaf1-spine3, factor: 0.05, period: 0.2 ms, duty: 50 %, steps: [3, 7]}"};
  for (const std::string& fault : faults) {
    INFO(fault);
    Advice advice;
    const ScoredJob job = score_of_fault(fault, kHashed, advice);
    REQUIRE(job.faults.size() == 1);
    CHECK(job.faults[0].found);
    CHECK(job.faults[0].placed);
    REQUIRE(!advice.findings.empty());
    CHECK(advice.findings.front().cause == "comm.cable");
  }
}

}  // namespace
}  // namespace a3sim
