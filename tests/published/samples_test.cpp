#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "sim/core/error.h"
#include "sim/experiment/streams/first_batch.h"
#include "sim/published/evaluation.h"
#include "sim/published/simplest_formula.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

using Json = nlohmann::ordered_json;
using Results = std::vector<MicroBatchResult>;

constexpr const char* kTable =
    "description: micro-batches\n"
    "experiment: feplb_ep2\n"
    "set: {experiment.seeds: 2, experiment.micro_batches: 2, model.tokens: 256, balance.tau: 16}\n"
    "keys: {ep: parallel.ep, method: experiment.method, pass: , dyn: balance.dyn}\n"
    "variants: [{name: half the tokens, when: {method: none}, set: {model.tokens: 128}}]\n"
    "cases:\n"
    "  - {ep: 2, method: none, metrics: [{metric: latency, unit: us, pass: forward}]}\n"
    "  - ep: [2, 4]\n"
    "    method: none\n"
    "    metrics: [{metric: rows_per_rank, unit: rows, variants: false},\n"
    "              {metric: waste, unit: fraction, variants: false}]\n"
    "  - {ep: 2, method: faster_pipe2, over: {set: {experiment.method: none}},\n"
    "     metrics: [{metric: overhead, quantity: slowdown, operator: dispatch, unit: fraction}]}\n"
    "  - {ep: [2, 4], dyn: [1, 8], metrics: [{metric: token_straggler, unit: rows}]}\n"
    "gain: {metric: straggler_gain, quantity: token_straggler, key: dyn, over: ep, of: {method: none}}\n";

class OwnTable {
 public:
  explicit OwnTable(const std::string& text) { std::ofstream(file_) << text; }
  OwnTable(const OwnTable&) = delete;
  OwnTable& operator=(const OwnTable&) = delete;
  ~OwnTable() { std::filesystem::remove(file_); }
  std::vector<Point> points(const CaseSelection& wanted = {}) const {
    return predict(read_published_table(configs_folder(), file_), {}, wanted).points;
  }

 private:
  std::string file_ =
      (std::filesystem::temp_directory_path() / ("a3sim_samples_" + std::to_string(::getpid()) + ".yaml"))
          .string();
};

const Point& point(const std::vector<Point>& points, const std::string& metric, const Json& coordinates) {
  const auto found = std::ranges::find_if(points, [&](const Point& one) {
    return one.metric == metric && one.variant.empty() && one.coordinates == coordinates;
  });
  REQUIRE(found != points.end());
  return *found;
}

Experiment small(const std::string& ep, const std::string& change) {
  return Scenario{}.load("feplb_ep2", {"experiment.seeds=2", "experiment.micro_batches=2", "model.tokens=256",
                                       "balance.tau=16", "parallel.ep=" + ep, change});
}

// Runs the micro-batches of both seeds, one after another.
Results results(const std::string& ep, const std::string& change) {
  const Experiment experiment = small(ep, change);
  Results all;
  for (const std::uint32_t seed : {0U, 1U}) {
    const Results of_seed = run_micro_batches(experiment, draw_batches(experiment, seed));
    all.insert(all.end(), of_seed.begin(), of_seed.end());
  }
  return all;
}

template <class Value>
double mean(const Results& all, const Value& value) {
  double sum = 0;
  for (const MicroBatchResult& one : all) sum += value(one);
  return sum / static_cast<double>(all.size());
}

double mean_straggler(const std::string& ep, const std::string& change) {
  return mean(results(ep, change), [](const MicroBatchResult& one) { return one.token_straggler; });
}

}  // namespace

TEST_CASE("a table of sampled experiments has means over their micro-batches") {
  const std::vector<Point> points = OwnTable(kTable).points();
  const Results none = results("2", "experiment.method=none"),
                faster = results("2", "experiment.method=faster_pipe2");
  const Point& latency = point(points, "latency", {{"ep", 2}, {"method", "none"}, {"pass", "forward"}});
  CHECK(latency.value ==
        Approx(mean(none, [](const auto& one) { return 1e-6 * static_cast<double>(one.forward.count()); })));
  // The formula is of the first micro-batch of each seed.
  const double part =
      SimplestFormula::read(configs_folder()).part_of_peak(small("2", "experiment.method=none").hardware);
  double by_hand = 0;
  for (const std::uint32_t seed : {0U, 1U}) {
    const Experiment experiment = small("2", "experiment.method=none");
    const auto work = streams_on(experiment, draw_batches(experiment, seed))->prepare(experiment, 1);
    by_hand += 1e-6 * static_cast<double>(work->by_hand(experiment, 0, part, "").value().count()) / 2;
  }
  CHECK(latency.formula.value() == Approx(by_hand));
  const Point& rows = point(points, "rows_per_rank", {{"ep", 2}, {"method", "none"}});
  CHECK(rows.value == Approx(mean(none, [](const auto& one) { return std::ranges::max(one.rows); })));
  CHECK(point(points, "waste", {{"ep", 2}, {"method", "none"}}).value ==
        Approx(mean(none, [](const auto& one) { return one.waste; })));
  // Each micro-batch is compared with the same one of the other method.
  double longer = 0;
  for (std::size_t b = 0; b < none.size(); ++b)
    longer += seconds(faster[b].dispatch) / seconds(none[b].dispatch) - 1;
  CHECK(point(points, "overhead", {{"ep", 2}, {"method", "faster_pipe2"}}).value == Approx(longer / 4));
  CHECK(longer != 0);
  double gain = 0;
  for (const char* ep : {"2", "4"})
    gain += 100 * (mean_straggler(ep, "balance.dyn=1") - mean_straggler(ep, "balance.dyn=8")) /
            mean_straggler(ep, "experiment.method=none");
  CHECK(point(points, "straggler_gain", {{"dyn_from", 1}, {"dyn_to", 8}}).value == Approx(gain / 2));
  CHECK(gain > 1);
}

TEST_CASE("variants of sampled cases have rows of the metrics that take them") {
  std::vector<std::string> metrics;
  for (const Point& one : OwnTable(kTable).points({.cases = {{{{"ep", 2}, {"method", "none"}}}}}))
    metrics.push_back(one.variant + ":" + one.metric);
  CHECK(metrics ==
        std::vector<std::string>{":latency", "half the tokens:latency", ":rows_per_rank", ":waste"});
}

TEST_CASE("a metric that the samples do not have is refused with those that they have") {
  CHECK_THROWS_WITH(OwnTable("description: d\nexperiment: feplb_ep2\n"
                             "set: {experiment.seeds: 1, experiment.micro_batches: 1, model.tokens: 64}\n"
                             "keys: {ep: parallel.ep}\ncases: [{ep: 2}]\n"
                             "metrics: [{metric: tflops, unit: TFLOPS}]\n")
                        .points(),
                    Contains("feplb_ep2 has no metric 'tflops'; it has combine, copied"));
}
