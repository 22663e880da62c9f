#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "tests/traces/written_profile.h"
#include "traces/import/profile_report.h"

using namespace a3sim;
using namespace a3sim::written;
using Catch::Matchers::Contains;

namespace {

// A rank with two products, a vector kernel and an exchange in each step.
Rank rank_with(double product, double exchange, int steps = 2) {
  Rank rank;
  double at = 0;
  const auto add = [&](int step, const std::string& type, double length) {
    Kernel& made = rank.kernels.emplace_back();
    made.step = step;
    made.type = type;
    made.start = at;
    made.length = length;
    at += length;
  };
  for (int step = 0; step < steps; ++step) {
    add(step, "MatMulV3", product);
    add(step, "MatMulV3", product);
    add(step, "Mul", 500);
    Exchange& made = rank.exchanges.emplace_back();
    made.step = step;
    made.name = fmt::format("hcom_allReduce__868_{}_1", step);
    made.group = "1311868";
    made.start = at;
    made.length = exchange;
    made.transfer = exchange;
    at += exchange;
  }
  return rank;
}

Profile profile_with(const Rank& rank) {
  const ScratchDirectory folder;
  write_rank(folder, 0, rank);
  return read_profile(folder.path());
}

}  // namespace

TEST_CASE("two profiles are compared by types of kernels and by exchanges, what differs most first") {
  const Report report =
      profiles_compared(profile_with(rank_with(1000, 3000)), profile_with(rank_with(1300, 3100)));
  const nlohmann::ordered_json json = report.json();
  INFO(report.text());
  REQUIRE(json["operators"].size() == 2);
  CHECK(json["operators"][0]["name"] == "MatMulV3");
  CHECK(json["operators"][0]["a"] == 4);
  CHECK(json["operators"][0]["b"] == 4);
  CHECK(json["operators"][0]["error"].get<double>() == Approx(0.3));
  CHECK(json["operators"][1]["error"].get<double>() == Approx(0));
  REQUIRE(json["exchanges"].size() == 1);
  CHECK(json["exchanges"][0]["error"].get<double>() == Approx(100.0 / 3000));
  CHECK_THAT(report.text(), Contains("Of B against A, per rank: MatMulV3 +1.200 ms, hcom_allReduce"));
  CHECK_THAT(report.text(), !Contains("other numbers of steps"));
}

TEST_CASE("profiles of other numbers of steps are told to be so") {
  const Report report =
      profiles_compared(profile_with(rank_with(1000, 3000)), profile_with(rank_with(1000, 3000, 3)));
  CHECK_THAT(report.text(), Contains("other numbers of steps"));
}
