#include "sim/published/reference.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/published/comparison.h"
#include "sim/result/metrics/metric_unit.h"
#include "tests/published/toy.h"
#include "traces/report/table.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

std::string reference_refusal(const Toy& toy, const CaseSelection& wanted = {}) {
  try {
    compare(toy.table(), toy.predicted(wanted).points, wanted);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<Comparison> compared(const Toy& toy) { return compare(toy.table(), toy.predicted().points); }

}  // namespace

TEST_CASE("every metric is read in each of its units, and printed in another") {
  CHECK(parse_metric("latency", "10.2 ms").value == Approx(0.0102).epsilon(1e-15));
  CHECK(parse_metric("latency", "723.29 us").value == Approx(723.29e-6).epsilon(1e-15));
  CHECK(parse_metric("latency", "2 s").value == 2);
  CHECK(parse_metric("tflops", "274.5 TFLOPS").value == 274.5e12);
  CHECK(parse_metric("bandwidth", "5.96 TB/s").value == 5.96e12);
  CHECK(parse_metric("bandwidth", "5960 GB/s").value == 5.96e12);
  CHECK(parse_metric("l2_read_hit_rate", "62.5 %").value == 0.625);
  CHECK(parse_metric("l2_read_hit_rate", "1 fraction").value == 1);
  Reference reference;
  reference.metric = "latency";
  reference.value = parse_metric("latency", "0.72329 ms").value;
  CHECK(reference.in("us") == Approx(723.29).epsilon(1e-15));
}

TEST_CASE("a value without its metric's unit is refused, with the units that it has") {
  CHECK_THAT(parse_metric("latency", "10.2").error, Contains("ns us ms s"));
  CHECK_THAT(parse_metric("latency", "10.2 TB/s").error, Contains("ns us ms s"));
  CHECK_THAT(parse_metric("latency", "-1 ms").error, Contains("positive"));
  CHECK_THAT(parse_metric("tflops", "0 TFLOPS").error, Contains("positive"));
  CHECK_THAT(parse_metric("l2_read_hit_rate", "101 %").error, Contains("more than all"));
  CHECK_THAT(parse_metric("hit_rate", "10 %").error, Contains("l2_read_hit_rate"));
}

TEST_CASE("four digits are shown, and whole digits all") {
  CHECK(significant(9.66768) == "9.668");
  CHECK(significant(54) == "54.00");
  CHECK(significant(0.0123456) == "0.01235");
  CHECK(significant(123456.7) == "123457");
  CHECK(significant(0) == "0.000");
}

TEST_CASE("a time is said in milliseconds, from a second on in seconds") {
  CHECK(in_ms_or_s(1000_us) == "1.000 ms");
  CHECK(in_ms_or_s(999'999_us) == "999.999 ms");
  CHECK(in_ms_or_s(12'220'132_us) == "12.220 s");
}

TEST_CASE("a prediction stands beside the published value of its case and metric, in its own unit") {
  Toy toy;
  toy.publish("copy", "latency", "0.0625 ms", "note: n, spread: [{value: 70 us, source: other}]");
  toy.publish("read", "bandwidth", "5 TB/s");
  const std::vector<Comparison> all = compared(toy);
  REQUIRE(all.size() == 5);
  REQUIRE(all[0].reference);
  CHECK(all[0].reference->in("us") == 62.5);
  CHECK(all[0].reference->use == Use::kComparison);
  CHECK(all[0].reference->note == "n");
  CHECK(all[0].reference->spread.at(0).value == Approx(70e-6));
  CHECK(error_of(all[0]) == Approx(Toy::copy(1.33) / 62.5 - 1));
  CHECK(!all[1].reference);  // a variant is compared with nothing
  CHECK(all[2].reference->use == Use::kCalibration);
  CHECK(!all[3].reference);
  const std::string table = comparison_table(all).text();
  CHECK_THAT(table, Contains("62.5 (62.5..70)") && Contains("+20.3 %") && Contains("twice"));
}

TEST_CASE(
    "JSON names experiment, case, variant, metric, unit, value, reference, source, the formula's value, and "
    "the use of what is not only compared") {
  Toy toy;
  toy.publish("copy", "latency", "50 us");
  const nlohmann::ordered_json json = comparisons_json("toy", compared(toy));
  CHECK(json[0].dump() ==
        R"({"experiment":"toy","case":{"point":"copy"},"metric":"latency","unit":"us","value":)" +
            nlohmann::ordered_json(Toy::copy(1.33)).dump() +
            R"(,"low":null,"high":null,"reference":50.0,"source":"s","formula":null,"use":"calibration"})");
  CHECK(json[1]["variant"] == "twice");
  CHECK(!json[0].contains("variant"));
  CHECK(json[2]["reference"].is_null());
  CHECK(json[2]["source"].is_null());
  CHECK(!json[2].contains("use"));
}

TEST_CASE("errors of fractions are told in percentage points") {
  Comparison comparison{.point = {.coordinates = {{"rows", 1}},
                                  .metric = "l2_read_hit_rate",
                                  .unit = "fraction",
                                  .value = 0.7,
                                  .hardware = "toy"},
                        .reference = Reference{}};
  comparison.reference->metric = "l2_read_hit_rate";
  comparison.reference->value = 0.6;
  CHECK(error_of(comparison) == Approx(0.1));
  CHECK_THAT(comparison_table({comparison}).text(), Contains("+10.0 pp"));
  comparison.point.unit = "%";
  comparison.point.value = 70;
  CHECK(error_of(comparison) == Approx(0.1));
  CHECK_THAT(comparison_table({comparison}).text(), Contains("+10.0 pp"));
}

TEST_CASE("what is published and predicted by nothing is an error, unless other cases were not asked for") {
  Toy toy;
  toy.publish("copi", "latency", "50 us");
  CHECK_THAT(reference_refusal(toy), Contains("copi") && Contains("nothing predicts it"));
  CHECK(reference_refusal(toy, {.cases = {{{{"point", "copy"}}}}}) == "accepted");
}

TEST_CASE("a value that was measured on other hardware than predicted is not compared") {
  Toy toy;
  toy.publish_points(
      "points:\n  - {case: {point: copy}, metric: latency, value: 50 us, hardware: a3, source: s}\n");
  CHECK_THAT(reference_refusal(toy), Contains("'a3'") && Contains("'toy'"));
}

TEST_CASE("all that is wrong with a file of published values is said at once") {
  Toy toy;
  toy.publish_points(
      "points:\n"
      "  - {case: {point: copy}, metric: latency, value: 50, hardware: toy, source: s}\n"
      "  - {case: {point: read}, metric: bandwith, value: 5 TB/s, hardware: toy, source: s}\n"
      "  - {case: {point: both}, metric: latency, value: 5 us, hardware: toy}\n"
      "  - {case: {point: both}, metric: latency, value: 5 us, hardware: toy, source: s, use: fit}\n");
  CHECK_THAT(reference_refusal(toy), Contains("toy.yaml:5:") && Contains("toy.yaml:6:") &&
                                         Contains("toy.yaml:7:") && Contains("second value") &&
                                         Contains("calibration"));
}

TEST_CASE("totals and speed-ups follow from latencies that are published, and from nothing else") {
  Diagnostics diagnostics;
  const Config table = Config::parse(
      "points:\n"
      "  - {case: {ep: 4, pass: forward}, metric: latency, value: 5 us, hardware: a3, source: s}\n"
      "  - {case: {ep: 4, pass: total}, metric: latency, value: 15 us, hardware: a3, source: s}\n"
      "  - {case: {ep: 4, pass: forward}, metric: speedup, value: 2 x, hardware: a3, source: s}\n"
      "  - {case: {ep: 8, pass: total}, metric: latency, value: 15 us, hardware: a3, source: s}\n"
      "  - {case: {ep: 8}, metric: speedup, value: 2 x, hardware: a3, source: s}\n",
      "t.yaml", {}, diagnostics);
  std::vector<bool> follows;
  for (const Reference& reference : read_references(table)) follows.push_back(reference.follows);
  CHECK(follows == std::vector<bool>{false, true, true, false, false});
  CHECK(diagnostics.empty());
}

TEST_CASE("a case's keys may stand in any order") {
  CHECK(same_coordinates({{"m", 1}, {"n", 2}}, {{"n", 2}, {"m", 1}}));
  CHECK(!same_coordinates({{"m", 1}, {"n", 2}}, {{"n", 1}, {"m", 2}}));
  CHECK(!same_coordinates({{"m", 1}}, {{"m", 1}, {"n", 2}}));
}
