#include "sim/search/gain_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/core/config/value.h"
#include "sim/core/units.h"
#include "sim/device/program.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/search/search_findings.h"
#include "sim/search/search_json.h"
#include "sim/search/search_report.h"
#include "tests/search/small_search.h"

using namespace a3sim;

namespace {

constexpr const char* kSerial = "op * 1000 + index";
constexpr const char* kSlicesOfTiles = "floor(index / 32) * 1000 + op * 100 + index";

// Slices gain in an L2 of 3 MiB, and nothing in one that holds all tiles. One more AIV gains in both, but less than slices
// do in 3 MiB.
Experiment swiglu_add_in_an_l2(const std::string& l2, std::vector<std::string> more = {}) {
  more.insert(more.begin(),
              {fmt::format("hardware.memory.l2_size={}", l2), fmt::format("order.vtq=[{}]", kSerial)});
  return small_swiglu_add(more);
}

SearchSpace slices_or_cores(bool cores) {
  return space_of(fmt::format(R"(
space:
  workloads: []
  queues:
    vtq:
      tile: [{}, {}]
{})",
                              kSerial, kSlicesOfTiles,
                              cores ? "  decisions:\n    aiv: {key: workers.aiv, values: [9]}\n" : ""));
}

SearchFindings found_in(const SearchProblem& problem, const SearchOptions& options) {
  CandidateRuns runs(problem, 1, nullptr);
  return search_and_explain(problem, options, runs);
}

constexpr const char* kSmallOrLarge =
    "{value: 3 MiB, range: [3 MiB, 384 MiB], source: assumed, measure: \"tiles of one size, twice, in loops "
    "of 1 to 512 MiB\"}";

}  // namespace

TEST_CASE("a gain that is none at one end of the range of an assumed value is not claimed") {
  const SearchProblem problem(swiglu_add_in_an_l2(kSmallOrLarge), slices_or_cores(false), true);
  const SearchOptions options = one_run(4, 1);
  const SearchFindings findings = found_in(problem, options);
  REQUIRE(findings.gained());
  CHECK(findings.judgement.verdict == GainVerdict::kNotKnown);
  CHECK(findings.stated == problem.from_start(0));
  const GainRanges& ranges = findings.judgement.ranges;
  REQUIRE_FALSE(ranges.values.empty());
  CHECK(ranges.values.front().path == "hardware.memory.l2_size");
  CHECK(ranges.low < kLeastGain);
  const std::string headline = search_headline(problem, findings);
  CHECK_THAT(headline,
             Catch::Contains("Not known") &&
                 Catch::Contains("hardware.memory.l2_size (3 MiB, known within 3 MiB to 384 MiB)") &&
                 Catch::Contains("measure it by: tiles of one size, twice, in loops of 1 to 512 MiB"));
  CHECK(headline.find('%') == std::string::npos);
  const nlohmann::ordered_json json = search_json(problem, options, findings);
  CHECK(json["verdict"] == "not known");
  CHECK(json["ranges"]["known"] == false);
  for (const char* gain : {"claimed", "trained", "as_configured", "held_out"}) CHECK(json["gain"][gain] == 0);
}

TEST_CASE("the same gain is claimed if the range is narrow, as between its ends") {
  const SearchProblem problem(
      swiglu_add_in_an_l2("{value: 3 MiB, range: [3 MiB, 3.25 MiB], source: assumed}"),
      slices_or_cores(false), true);
  const SearchOptions options = one_run(4, 1);
  const SearchFindings findings = found_in(problem, options);
  CHECK(findings.claims());
  const GainRanges& ranges = findings.judgement.ranges;
  CHECK(ranges.low > kLeastGain);
  CHECK(ranges.low <= ranges.as_stated);
  CHECK(ranges.high >= ranges.as_stated);
  CHECK(findings.left_out.empty());
}

TEST_CASE("where the fastest order rests on an assumed value, the best one that does not is found") {
  const SearchProblem problem(swiglu_add_in_an_l2(kSmallOrLarge), slices_or_cores(true), true);
  const SearchOptions options = one_run(8, 1);
  const SearchFindings findings = found_in(problem, options);
  REQUIRE(findings.left_out.size() == 1);
  CHECK(findings.left_out.front().trained > findings.trained());
  CHECK(findings.claims());
  CHECK(problem.settings(findings.stated) == std::vector<std::string>{"workers.aiv=9"});
  CHECK(search_report(problem, options, findings).text().find("Left out: candidate") != std::string::npos);
}

TEST_CASE(
    "an order that settings come with is held against them at the ends of ranges, not only both together") {
  const SearchProblem problem(swiglu_add_in_an_l2(kSmallOrLarge), slices_or_cores(true), true);
  const SearchOptions options = one_run(8, 1);
  CandidateRuns runs(problem, 1, nullptr);
  SearchOutcome outcome = search(problem, options, runs);
  const auto both = std::ranges::find_if(outcome.candidates, [&](const ScoredCandidate& scored) {
    return !problem.settings(scored.candidate).empty() &&
           scored.candidate.queues != problem.from_start(0).queues;
  });
  REQUIRE(both != outcome.candidates.end());
  outcome.best = static_cast<std::size_t>(both - outcome.candidates.begin());
  StartTimes known;
  const GainRanges together = gain_ranges(problem, options, outcome, runs, known);
  CHECK(together.known());
  const GainRanges alone = gain_ranges(problem, options, outcome, runs, known, nullptr, 0);
  CHECK_FALSE(alone.known());
  CHECK(alone.as_stated < together.as_stated);
}

TEST_CASE("the gain at an end is that of runs with this value") {
  const SearchProblem problem(swiglu_add_in_an_l2(kSmallOrLarge), slices_or_cores(true), true);
  const SearchFindings findings = found_in(problem, one_run(8, 1));
  const auto latency = [](const char* workers) {
    const Experiment experiment = swiglu_add_in_an_l2("{value: 384 MiB, source: large}", {workers});
    return seconds(total_of(run_experiment(experiment, false, backend_in_threads(experiment))));
  };
  const double gain = 1 - latency("workers.aiv=9") / latency("workers.aiv=8");
  const GainRanges& ranges = findings.judgement.ranges;
  const auto l2 = std::ranges::find(ranges.values, "hardware.memory.l2_size", &RangedGain::path);
  REQUIRE(l2 != ranges.values.end());
  REQUIRE(l2->high.gain);
  CHECK(*l2->high.gain == Approx(gain));
  CHECK(l2->high.value == "384 MiB");
}

TEST_CASE(
    "each value of the shipped machines and programs that is known within a range says how to measure it") {
  std::size_t values = 0;
  for (const char* folder : {"hardware", "programs"}) {
    for (const std::filesystem::path& file : files_in(configs_folder() / folder)) {
      Diagnostics diagnostics;
      const Config root = Config::load(file, {}, diagnostics);
      diagnostics.throw_if_any();
      const auto tree = root.tree();
      for (const SourcedValue& value : sourced_values(root)) {
        if (value.low.empty() || value.low == value.high) continue;
        INFO(file << ' ' << value.path);
        const ConfigValue* at = tree.get();
        std::istringstream keys(value.path + ".measure");
        for (std::string key; at != nullptr && std::getline(keys, key, '.');) {
          const ConfigValue::Entry* const entry = at->find(key);
          at = entry != nullptr ? entry->value.get() : nullptr;
        }
        CHECK(at != nullptr);
        ++values;
      }
    }
  }
  CHECK(values > 50);
}
