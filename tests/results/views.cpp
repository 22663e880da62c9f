#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/core/rng.h"
#include "sim/sweep/results/axis_numbers.h"
#include "sim/sweep/results/baseline.h"
#include "sim/sweep/results/best_view.h"
#include "sim/sweep/results/decisions.h"
#include "sim/sweep/results/page_view.h"
#include "sim/sweep/results/pivot_view.h"
#include "sim/sweep/results/points_view.h"
#include "tests/results/made_database.h"

using namespace a3sim;
using Catch::Contains;

namespace {

SweepResults ep_by_order_by_seed() {
  return full_grid({{"ep", {"4", "8"}}, {"order", {"full", "ratr"}}, {"seed", {"1", "2", "3"}}},
                   [](const auto& at) { return 10.0 * at[0] + 3.0 * at[1] + (at[2] == 2 ? 5 : at[2]) + 1; });
}

}  // namespace

TEST_CASE("A pivot's cells are medians, and it says over what and how far apart") {
  const SweepResults sweep = ep_by_order_by_seed();
  const Report view = pivot_view(sweep, "ep", "order", sweep.metric("total", "latency"));
  CHECK(view.table(kResultRows).csv() == "ep,order=full,order=ratr\n4,2,5\n8,12,15\n");
  CHECK_THAT(view.text(), Contains("median of 3 points, over seed") && Contains("250 %"));
  CHECK(view.json()["median_over"] == "seed");
  CHECK(view.markdown().find('|') != std::string::npos);
}

TEST_CASE("A pivot's cell without a value stays empty") {
  SweepResults sweep = ep_by_order_by_seed();
  for (std::size_t i = 0; i < 3; ++i) sweep.metrics[0].values[i] = NAN;
  CHECK(pivot_view(sweep, "ep", "order", sweep.metrics[0]).table(kResultRows).csv() ==
        "ep,order=full,order=ratr\n4,,5\n8,12,15\n");
}

TEST_CASE("The best points are sorted, also for each value of an axis") {
  const SweepResults sweep = ep_by_order_by_seed();
  const Objective least = objective_of(sweep, "total", "latency");
  CHECK(best_view(sweep, least, 2, "").table(kResultRows).csv() ==
        "ep,order,seed,latency_ms\n4,full,1,1\n4,full,2,2\n");
  CHECK(best_view(sweep, least, 1, "ep").table(kResultRows).csv() ==
        "ep,order,seed,latency_ms\n4,full,1,1\n8,full,1,11\n");
  const Objective most = objective_of(sweep, "total", "max:latency");
  CHECK(best_view(sweep, most, 1, "").table(kResultRows).csv() == "ep,order,seed,latency_ms\n8,ratr,3,19\n");
}

// Once the best points by tokens were those with fewest of them, and half of the tokens was a speed-up of 2.
TEST_CASE("A metric has its own better direction, which a sign before its name overrides") {
  SweepResults sweep = ep_by_order_by_seed();
  sweep.metrics[0].name = "tokens";
  const auto best_row = [&](const char* objective) {
    return best_view(sweep, objective_of(sweep, "total", objective), 1, "")
        .json()[kResultRows][0]["tokens_ms"];
  };
  CHECK(best_row("tokens") == 19);
  CHECK(best_row("-tokens") == 19);
  CHECK(best_row("min:tokens") == 1);
  add_speed_ups(sweep, "total", "ep=4", "tokens");
  CHECK(sweep.metrics.back().values[6] == Approx(11.0 / 1));  // ep=8 with order=full, seed=1
  sweep.metrics[0].name = "latency";
  CHECK(best_row("latency").is_null());
  CHECK_FALSE(objective_of(sweep, "total", "latency").larger);
}

TEST_CASE("A point that is the best with another value on two axes counts once, and says what else it has") {
  // Only the point (8, ratr) and one far slower have another value on ep or order.
  SweepResults sweep = full_grid({{"ep", {"4", "8"}}, {"order", {"full", "ratr"}}, {"seed", {"1", "2"}}},
                                 [](const auto& at) { return 10.0 + 3.0 * at[0] + at[2]; });
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const std::vector<std::size_t>& levels = sweep.points[i].levels;
    if (levels[0] != levels[1]) sweep.metrics[0].values[i] = NAN;
  }
  const Objective least = objective_of(sweep, "total", "latency");
  const std::vector<Decision> decisions = decisions_of(sweep, least, best_points(sweep, least, 1).front());
  REQUIRE(decisions.size() == 2);
  CHECK(decisions[0].axes == std::vector<std::size_t>{0, 1});
  CHECK(decisions[0].worse == Approx(3.0 / 10));
  CHECK(decisions[1].axes == std::vector<std::size_t>{2});
  CHECK_THAT(best_view(sweep, least, 1, "").text(), Contains("ep and order") && Contains("4, full"));
}

TEST_CASE("A sweep says how many of its points are missing") {
  SweepResults sweep = ep_by_order_by_seed();
  CHECK(missing_text(sweep).empty());
  sweep.points[3].status = PointStatus::kNotRun;
  CHECK(missing_text(sweep) == "11 of 12 points are done: 1 is missing, among which better ones may be\n");
  sweep.points[4].status = PointStatus::kFailed;
  CHECK_THAT(missing_text(sweep), Contains("10 of 12 points are done: 2 are missing"));
}

TEST_CASE("Programs find numbers as numbers, under keys of letters, digits and underscores") {
  const SweepResults sweep = ep_by_order_by_seed();
  const Objective least = objective_of(sweep, "total", "latency");
  const nlohmann::ordered_json row = best_view(sweep, least, 1, "").json()[kResultRows][0];
  CHECK(row.dump() == R"({"ep":4,"order":"full","seed":1,"latency_ms":1.0})");
}

TEST_CASE("A Pareto front has all points that no other beats") {
  Rng random(3);
  SweepResults sweep = full_grid({{"a", {"1", "2", "3", "4", "5"}}, {"b", {"1", "2", "3", "4", "5", "6"}}},
                                 [&](const auto&) { return double(random.below(7)); });
  sweep.metrics.push_back({"total", "sent", "MB", {}});
  sweep.metrics.push_back({"total", "hit", "%", {}});
  for (std::size_t i = 0; i < 30; ++i) {
    sweep.metrics[1].values.push_back(i == 4 ? NAN : double(random.below(7)));
    sweep.metrics[2].values.push_back(double(random.below(7)));
  }
  std::vector<Objective> objectives;
  for (const char* name : {"latency", "sent", "-hit"})
    objectives.push_back(objective_of(sweep, "total", name));
  std::vector<std::size_t> expected;
  for (std::size_t i = 0; i < 30; ++i) {
    bool beaten = i == 4;
    for (std::size_t j = 0; j < 30; ++j) {
      int better = 0, worse = 0;
      for (const Objective& o : objectives) {
        better += o.cost(j) < o.cost(i);
        worse += !(o.cost(j) <= o.cost(i));
      }
      beaten = beaten || (worse == 0 && better > 0);
    }
    if (!beaten) expected.push_back(i);
  }
  std::vector<std::size_t> front = pareto_front(sweep, objectives);
  std::ranges::sort(front);
  CHECK(front == expected);
  CHECK_THROWS_WITH(pareto_view(sweep, {objectives[0]}), Contains("two metrics"));
}

TEST_CASE("Conditions choose points by text, by number, and by values that hold commas") {
  const SweepResults sweep = full_grid({{"size", {"512 KiB", "1 MiB"}}, {"order", {"[a, b]", "[b, a]"}}},
                                       [](const auto&) { return 1; });
  CHECK(where(sweep, "size=1 MiB").points.size() == 2);
  CHECK(where(sweep, "size=1MiB,512 KiB").points.size() == 4);
  CHECK(where(sweep, "order=[a, b]").points.size() == 2);
  CHECK(where(sweep, "order=[a, b]").axes[1].values == std::vector<std::string>{"[a, b]"});
  CHECK_THROWS_WITH(where(sweep, "size=2 MiB"), Contains("512 KiB, 1 MiB"));
  CHECK_THROWS_WITH(where(sweep, "sise=1 MiB"), Contains("did you mean 'size'") && Contains("size, order"));
  CHECK_THROWS_AS(where(sweep, "size"), InputError);
}

TEST_CASE("Names that are not there are refused with those that are") {
  const SweepResults sweep = ep_by_order_by_seed();
  CHECK_THROWS_WITH(sweep.metric("total", "latncy"), Contains("did you mean 'latency'"));
  CHECK_THROWS_WITH(sweep.metric("forwrd", "latency"), Contains("no pass 'forwrd'") && Contains("total"));
  CHECK_THROWS_WITH(choose_sweep({sweep}, "grd"), Contains("did you mean 'grid'"));
  CHECK_THROWS_WITH(choose_sweep({sweep, sweep}, ""), Contains("--sweep"));
  CHECK(choose_sweep({sweep}, "").name == "grid");
}

TEST_CASE("An axis is numeric when all its values are different numbers of one kind") {
  CHECK(numbers_of({"4", "8"})->values == std::vector<double>{4, 8});
  CHECK(numbers_of({"512 KiB", "1 MiB"})->values == std::vector<double>{512, 1024});
  CHECK(numbers_of({"5%", "10%"})->unit == "%");
  CHECK(numbers_of({"0.5", "1e1"})->values == std::vector<double>{0.5, 10});
  CHECK_FALSE(numbers_of({"4", "8x2"}));
  CHECK_FALSE(numbers_of({"4", "8 ms"}));
  CHECK_FALSE(numbers_of({"1 MiB", "1024 KiB"}));
  CHECK_FALSE(numbers_of({"", "8"}));
  CHECK_FALSE(numbers_of({}));
}

TEST_CASE(
    "The page lists failures, says what is left out, and repeats nothing that differs between equal sweeps") {
  SweepResults sweep = ep_by_order_by_seed();
  sweep.points[3].status = PointStatus::kFailed;
  sweep.points[3].error = "time limit";
  sweep.metrics[0].values[3] = NAN;
  const Report page = sweep_page(sweep, "total", {"latency"}, "latency", 5);
  const std::string text = page.text(5);
  CHECK_THAT(text,
             Contains("12 points, 11 done, 1 failed, 0 not yet run") && Contains("7 more rows: --all") &&
                 Contains("failed: ep=4 order=ratr seed=1: time limit") && Contains("What matters most"));
  CHECK(page.json()["failures"][0]["error"] == "time limit");
}

TEST_CASE("Points that fail alike are one line, unless all are asked for") {
  SweepResults sweep = ep_by_order_by_seed();
  for (const std::size_t point : {3U, 4U, 7U}) {
    sweep.points[point].status = PointStatus::kFailed;
    sweep.points[point].error = point == 7 ? "no memory" : "time limit";
  }
  CHECK_THAT(failures_text(sweep, 5),
             Contains("failed: ep=4 order=ratr seed=1, and 1 more: time limit\nfailed: ") &&
                 Contains(": no memory\n"));
  CHECK_THAT(failures_text(sweep, 1),
             Contains("time limit") && !Contains("no memory") && Contains("1 other errors: --all"));
  CHECK_THAT(failures_text(sweep, std::numeric_limits<std::size_t>::max()), !Contains("likewise"));
}

TEST_CASE("Speed-ups are over the point that equals on all other axes", "[baseline]") {
  SweepResults sweep = ep_by_order_by_seed();
  const std::string meaning = add_speed_ups(sweep, "total", "order=full", "latency");
  CHECK_THAT(meaning, Contains("order=full, all else equal"));
  const ResultMetric& speed = sweep.metric("total", kSpeedUp);
  for (std::size_t point = 0; point < sweep.points.size(); ++point) {
    const std::vector<std::size_t>& at = sweep.points[point].levels;
    const double full = 10.0 * double(at[0]) + (at[2] == 2 ? 5 : double(at[2])) + 1;
    CHECK(speed.values[point] == Approx(full / (full + 3.0 * double(at[1]))));
  }
}

TEST_CASE("Where more is better a speed-up is the point's value over the baseline's", "[baseline]") {
  SweepResults sweep = ep_by_order_by_seed();
  add_speed_ups(sweep, "total", "order=ratr", "-latency");
  CHECK(sweep.metric("total", kSpeedUp).values.front() == Approx(1.0 / 4.0));
}

TEST_CASE("A point without its baseline has no speed-up, and unknown baselines are refused", "[baseline]") {
  SweepResults sweep = ep_by_order_by_seed();
  sweep.metrics[0].values[0] = NAN;  // ep=4, order=full, seed=1
  add_speed_ups(sweep, "total", "order=full", "latency");
  CHECK(std::isnan(sweep.metric("total", kSpeedUp).values[3]));
  CHECK(sweep.metric("total", kSpeedUp).values[4] == Approx(2.0 / 5.0));
  CHECK_THROWS_WITH(add_speed_ups(sweep, "total", "order", "latency"), Contains("AXIS=VALUE"));
  CHECK_THROWS_AS(add_speed_ups(sweep, "total", "order=none", "latency"), InputError);
  CHECK_THROWS_WITH(add_speed_ups(sweep, "total", "order=full,ratr", "latency"), Contains("one value"));
}

TEST_CASE("Medians over unlike points are refused with the axes to choose on", "[baseline]") {
  const SweepResults sweep = ep_by_order_by_seed();
  CHECK_THROWS_WITH(refuse_unlike_points(sweep, "ep", "order", sweep.metrics[0]),
                    Contains("250 %") && Contains("--where 'seed=1'   or 2, 3") && Contains("--median"));
  const SweepResults one = where(sweep, "seed=2");
  CHECK_NOTHROW(refuse_unlike_points(one, "ep", "order", one.metrics[0]));
}
