#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "sim/core/error.h"
#include "sim/study/published/comparison.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

std::vector<Comparison> predicted(const std::string& name) {
  const Scenario scenario;
  const PublishedTable table = read_published_table(scenario.configs, name);
  return compare(table, predict(table, scenario).points);
}

bool is_of(const Comparison& comparison, const char* key, const char* value) {
  return comparison.point.coordinates.value(key, "") == value;
}

}  // namespace

TEST_CASE(
    "Flash attention is predicted for every case, and within 10 % where pto-isa's kernel was measured") {
  const std::vector<Comparison> all = predicted("flash_attention");
  CHECK(all.size() == 21);
  int measured = 0;
  for (const Comparison& one : all) {
    CHECK(one.point.value > 0);
    if (!one.reference || !is_of(one, "implementation", "pto")) continue;
    INFO(one.point.coordinates.dump());
    CHECK(std::abs(error_of(one)) < 0.1);
    ++measured;
  }
  CHECK(measured == 3);
}

TEST_CASE("Kernels of a layer err less than what is computed by hand") {
  const std::vector<Comparison> all = predicted("kernel");
  CHECK(all.size() == 64);
  double ours = 0, hand = 0;
  int measured = 0;
  for (const Comparison& one : all) {
    if (!one.reference) continue;
    const double published = one.reference->in(one.point.unit);
    ours += std::abs(error_of(one));
    hand += std::abs(one.point.formula.value() / published - 1);
    ++measured;
  }
  CHECK(measured == 28);
  CHECK(ours < 0.75 * hand);
}

TEST_CASE("A case of a kernel that lacks a size, or has another type, is refused with its key") {
  const auto refusal = [](const std::string& name) {
    Diagnostics diagnostics;
    const Config root = Config::parse(
        "description: d\nevaluation: layer kernels\nexperiment: a2_kernels\nkernels:\n"
        "  - {case: " +
            name + ", metric: latency, unit: us, measure: rms_norm}\n",
        "table.yaml", {}, diagnostics);
    const Scenario scenario;
    const PublishedTable table = read_published_table(root, scenario.configs / "published", "table");
    diagnostics.throw_if_any();
    try {
      predict(table, scenario);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal("{rows: 64, width: 4096, dtype: bf16}").empty());
  CHECK_THAT(refusal("{rows: 64, dtype: bf16}"), Contains("needs 'width'"));
  CHECK_THAT(refusal("{rows: many, width: 64, dtype: bf16}"),
             Contains("needs 'rows', a whole number above 0"));
  CHECK_THAT(refusal("{rows: 64, width: 64, dtype: int8}"),
             Contains("needs 'dtype', one of bf16, fp16, fp32"));
}
