#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "sim/published/comparison.h"

using namespace a3sim;

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
