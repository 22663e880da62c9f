#include "bench/score/truth.h"

#include <catch2/catch.hpp>

#include "tests/scratch_directory.h"

namespace a3sim {
namespace {

Truth truth_in(std::uint32_t first, std::uint32_t last) {
  Truth truth;
  truth.kind = "clock";
  truth.first = first;
  truth.last = last;
  return truth;
}

TEST_CASE("what a fault costs is told from the steps with the same other faults") {
  // 10 usually; the first fault adds 5, the second 1, which the sum over its steps would call 6.
  const std::vector<Truth> truths{truth_in(4, 15), truth_in(8, 15)};
  std::vector<double> took(16, 10);
  for (std::size_t step = 4; step < 16; ++step) took[step] = step < 8 ? 15 : 16;
  CHECK(effect_of(truths[0], truths, took, 10).slowdown == Approx(0.5));
  CHECK(effect_of(truths[1], truths, took, 10).slowdown == Approx(1.0 / 15));
  CHECK(effect_of(truths[1], truths, took, 10).felt == 8);
}

TEST_CASE("a fault of the whole job is compared with a step without faults") {
  const std::vector<Truth> truths{truth_in(0, 7)};
  CHECK(effect_of(truths[0], truths, std::vector<double>(8, 12), 10).slowdown == Approx(0.2));
}

TEST_CASE("beside the same steps without it, a fault costs what it adds") {
  std::vector<double> took(16, 10), without(16, 10);
  for (std::size_t step = 6; step < 16; ++step) took[step] = without[step] = 20;
  for (std::size_t step = 10; step < 16; ++step) took[step] = 22;
  const TruthEffect effect = effect_of(truth_in(8, 15), took, without);
  CHECK(effect.slowdown == Approx(12.0 / 160));
  CHECK(effect.felt == 10);
  CHECK(effect_of(truth_in(2, 4), took, without).slowdown == 0);
}

TEST_CASE("entries of a fault that moves or drifts are one truth, those of others are not") {
  const ScratchDirectory scratch;
  const auto entry = [](const char* kind, const char* text, int rank, int first, int last) {
    return std::string(R"({"kind": ")") + kind + R"(", "ranks": [)" + std::to_string(rank) +
           R"(], "links": [], "operators": [], "steps": [)" + std::to_string(first) + ", " +
           std::to_string(last) + R"(], "entry": ")" + text + R"("})";
  };
  const auto file = scratch.add(
      "truth.json", "{\"faults\": [" +
                        entry("port", "kind: port, side: egress, ranks: 1, factor: 0.5", 1, 4, 7) + "," +
                        entry("port", "kind: port, side: egress, ranks: 2, factor: 0.4", 2, 8, 11) + "," +
                        entry("port", "kind: port, side: ingress, ranks: 3, factor: 0.4", 3, 12, 15) + "]}");
  const std::vector<Truth> truths = read_truth(file);
  REQUIRE(truths.size() == 2);
  CHECK(truths[0].ranks == std::set<std::uint32_t>{1, 2});
  CHECK(truths[0].first == 4);
  CHECK(truths[0].last == 11);
  CHECK(truths[1].first == 12);
}

}  // namespace
}  // namespace a3sim
