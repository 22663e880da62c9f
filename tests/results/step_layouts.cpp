#include "sim/sweep/results/step_layouts.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "sim/core/temporary_directory.h"
#include "tests/results/made_database.h"

namespace a3sim {
namespace {

using Catch::Contains;

constexpr std::string_view kOwnConfig =
    "experiment:\n  name: a\n  workload: training_step\nhardware:\n  memory:\n    hbm_size: 64 GiB\nmodel:\n "
    " hidden: 1024\n"
    "parallel:\n  tp: 2\nstep:\n  sequence: 1024\n  schedule: 1f1b\n  optimizer:\n    sharded: true\n  "
    "host:\n    launch: 0 us\n";

std::string with(std::string_view from, std::string_view to) {
  std::string text(kOwnConfig);
  return text.replace(text.find(from), from.size(), to);
}

// Points of one row, each with its time, its layout and its work.
struct StepPoint {
  double time;
  std::size_t layout, work;
};
SweepResults steps(const std::vector<StepPoint>& points) {
  std::vector<std::string> names;
  for (std::size_t p = 0; p < points.size(); ++p) names.push_back("v" + std::to_string(p));
  SweepResults sweep = full_grid({{"tp", names}}, [&](const auto& at) { return points[at[0]].time; });
  for (std::size_t p = 0; p < points.size(); ++p) {
    sweep.points[p].layout = points[p].layout;
    sweep.points[p].work = points[p].work;
  }
  return sweep;
}

TEST_CASE(
    "A layout is what spreads a step over dies and time; work is what it computes; neither is the machine") {
  const StepLines own = step_lines(kOwnConfig);
  CHECK(own.work == "model:\n  hidden: 1024\n  sequence: 1024\n");
  CHECK(own.layout == "parallel:\n  tp: 2\n  schedule: 1f1b\n  optimizer:\n    sharded: true\n");
  for (const auto& [from, to] :
       {std::pair{"tp: 2", "tp: 4"}, {"1f1b", "zb_h1"}, {"sharded: true", "sharded: false"}}) {
    CHECK(step_lines(with(from, to)).layout != own.layout);
    CHECK(step_lines(with(from, to)).work == own.work);
  }
  for (const auto& [from, to] : {std::pair{"64 GiB", "80 GiB"}, {"launch: 0 us", "launch: 9 us"}}) {
    CHECK(step_lines(with(from, to)).layout == own.layout);
    CHECK(step_lines(with(from, to)).work == own.work);
  }
  CHECK(step_lines(with("hidden: 1024", "hidden: 2048")).work != own.work);
  CHECK(step_lines(with("training_step", "moe_ffn")).layout.empty());
}

TEST_CASE("The best layout leads the best point of another layout with the same work") {
  // The second point has the same layout, the third does other work.
  const SweepResults sweep = steps({{10, 1, 1}, {11, 1, 1}, {12, 2, 2}, {16, 3, 1}});
  const auto lead = lead_of_best(sweep, "total");
  REQUIRE(lead);
  CHECK(lead->lead == Approx(1 - 10.0 / 16));
  CHECK_FALSE(lead_of_best(steps({{10, 1, 1}, {11, 1, 1}}), "total"));
  CHECK_FALSE(lead_of_best(steps({{10, 0, 0}, {11, 0, 0}}), "total"));  // no training steps
}

TEST_CASE("Where only tokens per second are known, their lead is one of time") {
  SweepResults sweep = steps({{10, 1, 1}, {16, 2, 1}});
  sweep.metrics[0].name = "tokens";
  const auto lead = lead_of_best(sweep, "total");
  REQUIRE(lead);
  CHECK(lead->lead == Approx(1 - 10.0 / 16));
}

TEST_CASE("More dies are no lead of a layout") {
  // A die's tokens in a step's time: 200 on as many dies, 100 on twice as many.
  SweepResults sweep = steps({{5, 1, 1}, {10, 2, 1}, {12, 3, 1}});
  sweep.metrics.push_back({"total", "tokens", "1/s", {20, 20, 200.0 / 12}});
  CHECK_FALSE(lead_of_best(sweep, "total"));
  // The best by tokens is another point, and it leads one on as many dies.
  sweep.metrics[1].values[1] = 20.5;
  sweep.metrics[1].values[2] = 20.5 * 10 / 12;
  const auto lead = lead_of_best(sweep, "total", "", objective_of(sweep, "total", "tokens"));
  REQUIRE(lead);
  CHECK(lead->lead == Approx(1 - 10.0 / 12));
  CHECK(follows_time(objective_of(sweep, "total", "tokens")));
  CHECK_FALSE(follows_time(objective_of(sweep, "total", "min:tokens")));
}

TEST_CASE("Of two steps on different numbers of dies a lead says so, and how long all dies take in sum") {
  const TemporaryDirectory folder("lead");
  const auto resolved = [&](const std::string& name, const std::string& parallel) {
    const fs::path file = folder.path() / name;
    std::ofstream(file) << "model: {hidden: 1024}\nparallel: " << parallel << '\n';
    return file;
  };
  const fs::path many = resolved("many.yaml", "{tp: 2, dp: 8}"), few = resolved("few.yaml", "{tp: 2, dp: 4}"),
                 other = resolved("other.yaml", "{tp: 4, dp: 4}");
  const auto lead = layout_lead_between(many, few, {"A", "B"}, Duration(60), Duration(100));
  REQUIRE(lead);
  CHECK(lead->text() ==
        "A takes 40.0 % less time than B, on 16 dies in place of 8: 20.0 % more time summed over the dies.");
  CHECK_FALSE(lead->known());
  const auto alike = layout_lead_between(many, other, {"A", "B"}, Duration(60), Duration(100));
  REQUIRE(alike);
  CHECK(alike->known());
  CHECK_THAT(alike->text(), Contains("A takes 40.0 % less time than B. Of "));
}

TEST_CASE("A lead is known where it is larger than the worst prediction of a published change of layout") {
  const std::vector<LayoutChange> changes = layout_changes();
  REQUIRE(changes.size() >= 2);
  double worst = 0;
  for (const LayoutChange& change : changes) {
    CHECK(change.error() == Approx(std::abs(change.published - change.predicted)));
    worst = std::max(worst, change.error());
  }
  // Megatron-MoE-ModelZoo, Qwen3-235B on 256 H100: 17.6 and 24.2 s in place of 19.7.
  CHECK(changes[0].published == Approx(1 - 17.6 / 19.7));
  CHECK(changes[1].published == Approx(1 - 24.2 / 19.7));
  const LayoutLead less = layout_lead("A", "B", 1 - worst * 0.99, 1),
                   more = layout_lead("A", "B", 1 - worst * 1.01, 1);
  CHECK_FALSE(less.known());
  CHECK_THAT(less.text(), Contains("not known, measure both"));
  CHECK(more.known());
  CHECK_THAT(more.text(), !Contains("not known"));
}

}  // namespace
}  // namespace a3sim
