#include "sim/published/published_table.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/published/comparison.h"
#include "tests/published/toy.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

using Json = nlohmann::ordered_json;
using Texts = std::vector<std::string>;

// A table `mine` of small products on one die.
constexpr const char* kHead =
    "description: products\n"
    "experiment: gemm\n"
    "metrics: [{metric: tflops, unit: TFLOPS}, {metric: latency, unit: us}]\n"
    "keys: {m: graph.sizes.m, n: graph.sizes.n, k: graph.sizes.k, blocks: {by rows: {tiling.order: "
    "row_major}, diagonal: {}}}\n"
    "set: {graph.sizes.k: 256, graph.sizes.n: 128}\n";

struct Mine {
  explicit Mine(const std::string& text) {
    std::filesystem::copy(configs_folder() / "experiments" / "gemm.yaml",
                          toy.scenario.configs / "experiments");
    for (const char* folder : {"orders", "hardware", "programs", "graphs"})
      std::filesystem::copy(configs_folder() / folder, toy.scenario.configs / folder);
    toy.write("published/mine.yaml", text);
  }
  PublishedTable table() const { return read_published_table(toy.scenario.configs, "mine"); }
  std::vector<Point> points(const CaseSelection& wanted = {}) const {
    return predict(table(), toy.scenario, wanted).points;
  }
  std::string refusal() const {
    try {
      points();
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
  Toy toy;
};

std::vector<Json> coordinates_of(const PublishedTable& table) {
  std::vector<Json> all;
  for (const PublishedCase& one : table.cases) all.push_back(one.coordinates);
  return all;
}

Texts variants_of(const PublishedTable& table) {
  Texts names;
  for (const PublishedCase& one : table.cases) names.push_back(one.variant);
  return names;
}

}  // namespace

TEST_CASE("lists of a case are crossed, the last runs fastest, and `each` is crossed with all cases") {
  const Mine mine(
      std::string(kHead) +
      "each: {blocks: [by rows, diagonal]}\ncases: [{m: [64, 128], n: 32}, {m: 256, n: [16, 32]}]\n");
  const PublishedTable table = mine.table();
  Json expected = Json::array();
  for (const char* blocks : {"by rows", "diagonal"}) {
    for (const auto& [m, n] : {std::pair{64, 32}, {128, 32}, {256, 16}, {256, 32}})
      expected.push_back(Json{{"m", m}, {"n", n}, {"blocks", blocks}});
  }
  CHECK(Json(coordinates_of(table)) == expected);
  // What a column's value sets lies over what all cases set.
  CHECK(table.cases[0].overrides ==
        Texts{"graph.sizes.k=256", "graph.sizes.n=32", "graph.sizes.m=64", "tiling.order=row_major"});
  CHECK(table.cases[4].overrides == Texts{"graph.sizes.k=256", "graph.sizes.n=32", "graph.sizes.m=64"});
}

TEST_CASE("a table without cases predicts whatever something was published about") {
  const Mine mine(
      std::string(kHead) +
      "points:\n"
      "  - {case: {m: 64}, metric: latency, value: 5 us, hardware: a3_24_48, source: s}\n"
      "  - {case: {m: 64}, metric: tflops, value: 5 TFLOPS, hardware: a3_24_48, source: s}\n"
      "  - {case: {m: 32, n: 64}, metric: latency, value: 5 us, hardware: a3_24_48, source: s}\n");
  CHECK(coordinates_of(mine.table()) == std::vector<Json>{{{"m", 64}}, {{"m", 32}, {"n", 64}}});
  const std::vector<Comparison> compared = compare(mine.table(), mine.points());
  REQUIRE(compared.size() == 4);
  CHECK(compared[0].reference.has_value());
  CHECK(!compared[2].reference.has_value());
}

TEST_CASE("variants follow the cases of their entry; one that changes nothing is not run") {
  const Mine mine(std::string(kHead) +
                  "cases: [{m: [64, 128]}, {m: 256, set: {l2.start: cold}}]\n"
                  "variants:\n"
                  "  - {name: cold, set: {l2.start: cold}}\n"
                  "  - {name: used, when: {m: 128}, set: {l2.start: used}}\n");
  CHECK(variants_of(mine.table()) == Texts{"", "", "cold", "cold", "used", ""});
  CHECK(mine.points({.variants = false}).size() == 3 * 2);
  CHECK(mine.points().size() == 6 * 2);
}

TEST_CASE("a variant of a key that the user sets is left out, and a case of it is refused") {
  Mine mine(std::string(kHead) + "cases: [{m: 64}]\nvariants: [{name: cold, set: {l2.start: cold}}]\n");
  mine.toy.scenario.overrides = {"l2.start=used"};
  CHECK(mine.points().size() == 2);
  mine.toy.scenario.overrides = {"graph.sizes.m=32"};
  CHECK_THAT(mine.refusal(), Contains("the reproduction itself sets graph.sizes.m"));
}

TEST_CASE("a product's metrics are those of its run") {
  const Mine mine(std::string(kHead) + "cases: [{m: 64}]\n");
  const std::vector<Point> points = mine.points();
  const Texts set{"graph.sizes.m=64", "graph.sizes.n=128", "graph.sizes.k=256", "network.backend=native"};
  const Experiment experiment = load_experiment(configs_folder() / "experiments" / "gemm.yaml", set);
  const Duration latency = run_experiment(experiment, false).front().run.makespan;
  REQUIRE(points.size() == 2);
  CHECK(points[0].value == Approx(2.0 * 64 * 128 * 256 / seconds(latency) * 1e-12));
  CHECK(points[1].value == microseconds(latency));
  CHECK(points[1].hardware == "a3_24_48");
}

TEST_CASE("threads change nothing") {
  Mine mine(std::string(kHead) + "each: {m: [64, 32, 128], blocks: [by rows, diagonal]}\n");
  const auto json = [&] { return comparisons_json("mine", compare(mine.table(), mine.points())); };
  const Json one = json();
  mine.toy.scenario.threads = 3;
  CHECK(json() == one);
}

TEST_CASE("a case is compared with another one that was run, and not with itself") {
  const Mine mine(
      "description: d\nexperiment: gemm\n"
      "metrics: [{metric: latency, unit: us, columns: [against]}, {metric: speedup, unit: x}]\n"
      "keys: {m: graph.sizes.m}\nset: {graph.sizes.n: 64, graph.sizes.k: 64}\nagainst: {m: 64}\ncases: [{m: "
      "[64, 512]}]\n");
  const std::vector<Point> points = mine.points();
  REQUIRE(points.size() == 3);
  CHECK(points[2].metric == "speedup");
  CHECK(points[2].coordinates == Json{{"m", 512}});
  CHECK(points[2].value == Approx(points[0].value / points[1].value));
  CHECK(std::get<double>(points[1].more[0].second) == Approx(points[1].value / points[0].value - 1));
  CHECK(std::get<double>(points[0].more[0].second) == 0);
  CHECK(mine.points({.cases = {{{{"m", 512}}}}}).size() == 1);  // what it is compared with was not asked for
}

TEST_CASE("a column `pass` gives a point for each pass, then for their total") {
  const Scenario scenario;
  PublishedTable table = read_published_table(scenario.configs, "moe_ffn");
  const auto small = [](PublishedCase& one) {
    for (const char* size : {"model.tokens=64", "model.hidden=256", "model.intermediate=128"})
      one.overrides.emplace_back(size);
  };
  std::ranges::for_each(table.cases, small);
  const CaseSelection wanted{.variants = false,
                             .cases = {{{{"ep", 4}, {"pass", "total"}, {"execution", "static"}}}}};
  const Predictions result = predict(table, scenario, wanted);
  REQUIRE(result.points.size() == 3);
  CHECK(result.points[0].coordinates == Json{{"ep", 4}, {"pass", "forward"}, {"execution", "static"}});
  CHECK(result.points[2].coordinates["pass"] == "total");
  CHECK(result.points[2].value == Approx(result.points[0].value + result.points[1].value));
  CHECK_THAT(result.heading, Contains("a3_24_48: 24 AIC, 24 AIV; order published; network native"));
}

TEST_CASE("all that is wrong with a table is said at once, with its place") {
  const Mine mine(
      "description: d\nexperiment: gemm\n"
      "metrics:\n  - {metric: latency, unit: TFLOPS}\n"
      "keys: {m: graph.sizes.m, blocks: {diagonal: {}}}\n"
      "cases:\n  - {m: 64, blocks: by columns}\n  - {block: diagonal}\n"
      "evaluatoin: runs\n");
  CHECK_THAT(mine.refusal(), Contains("mine.yaml:4:") && Contains("no unit of latency") &&
                                 Contains("mine.yaml:7:") && Contains("by columns") &&
                                 Contains("mine.yaml:8:") && Contains("did you mean 'blocks'") &&
                                 Contains("mine.yaml:9:") && Contains("did you mean 'evaluation'"));
  CHECK_THAT(Mine(std::string(kHead) + "evaluation: guess\n").refusal(),
             Contains("unknown evaluation 'guess'") && Contains("runs"));
  CHECK_THAT(Mine("description: d\nexperiment: gemm\nkeys: {m: graph.sizes.m}\ncases: [{m: 32}]\n"
                  "metrics: [{metric: latency, unit: us, columns: [bounds, bond]}]\n")
                 .refusal(),
             Contains("unknown column 'bond'") && Contains("bounds"));
  CHECK_THROWS_WITH(read_published_table(mine.toy.scenario.configs, "yours"),
                    Contains("unknown experiment 'yours'") && Contains("mine, toy"));
}

TEST_CASE("every shipped table loads, and each value has a source and a hardware file", "[slow]") {
  const std::vector<std::string> names = published_tables(configs_folder());
  CHECK(!names.empty());
  for (const std::string& name : names) {
    INFO(name);
    const PublishedTable table = read_published_table(configs_folder(), name);
    CHECK(!table.description.empty());
    CHECK(Evaluations::find(table.evaluation) != nullptr);
    for (const Reference& reference : table.references) {
      CHECK(!reference.source.empty());
      CHECK(std::filesystem::exists(configs_folder() / "hardware" / (reference.hardware + ".yaml")));
    }
    const Scenario scenario;
    for (const PublishedCase& one : table.cases)
      CHECK_NOTHROW(scenario.load(table.experiment_of(one), one.overrides));
  }
}
