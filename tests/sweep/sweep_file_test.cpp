#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "tests/sweep/small_sweep.h"

namespace a3sim {
namespace {

std::string refusal(const std::string& text) {
  const SweepFolder folder;
  try {
    planned(folder, text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

const std::string kRows = "    rows: {key: elementwise.rows, values: [64, 128]}\n";
const std::string kCols = "    cols: {key: elementwise.cols, values: [64, 128, 256]}\n";

TEST_CASE("What is wrong with a sweep is named at its place in the file") {
  using Catch::Matchers::Contains;
  CHECK_THAT(refusal("experiment: {name: x}\n"), Contains("a sweep stands below this key"));
  CHECK_THAT(refusal(sweep_text(kRows + kRows)), Contains("small.yaml:6:5") && Contains("duplicate key"));
  CHECK_THAT(refusal(sweep_text("    rows: {key: elementwise.rows, values: []}\n")),
             Contains("small.yaml:5:11") && Contains("no values"));
  CHECK_THAT(refusal(sweep_text("    {}\n")), Contains("at least one axis"));
  CHECK_THAT(refusal(sweep_text("    rows: {values: [1]}\n")), Contains("expected one of these"));
  CHECK_THAT(refusal(sweep_text("    rows: {key: elementwise.rows, values: [1, 2, 1]}\n")),
             Contains("'1' stands there twice"));
  CHECK_THAT(refusal(sweep_text("    rows: {key: elementwise.rows, value: [1]}\n")),
             Contains("did you mean 'values'"));
  CHECK_THAT(refusal(sweep_text(kRows + "    cols: {key: elementwise.cols, values: [1], zip: rows}\n")),
             Contains("1 values beside 2 of 'rows'"));
  CHECK_THAT(refusal(sweep_text(kRows + "    cols: {key: elementwise.cols, values: [1, 2], zip: row}\n")),
             Contains("no axis 'row' stands before") && Contains("did you mean 'rows'"));
  CHECK_THAT(refusal(sweep_text(kRows + "    again: {key: elementwise.rows, values: [32]}\n")),
             Contains("sets elementwise.rows, as axis"));
  CHECK_THAT(refusal(sweep_text(
                 "    order: {key: order, values: [{}]}\n    vtq: {key: order.vtq, values: [[index]]}\n")),
             Contains("sets order.vtq, as axis 'order' does"));
  CHECK_THAT(refusal(sweep_text(kRows, "  metrics: [latency, latenzy]\n")),
             Contains("small.yaml:6:12") && Contains("did you mean 'latency'"));
  CHECK_THAT(refusal(sweep_text(kRows, "  exclude: [{row: 64}]\n")), Contains("no axis is called 'row'"));
  CHECK_THAT(refusal(sweep_text(kRows, "  exclude: [{rows: 65}]\n")), Contains("has no value '65'"));
  CHECK_THAT(refusal(sweep_text(kRows + kCols, "  exclude: [{rows: 64}, {rows: 64, cols: []}]\n")),
             Contains("small.yaml:7:") && Contains("matches no point"));
  CHECK_THAT(refusal(sweep_text(kRows, "  exclude: [{rows: [64, 128]}]\n")),
             Contains("all points are left out"));
  CHECK_THAT(refusal(sweep_text(kRows, "  excluded: []\n")), Contains("did you mean 'exclude'"));
}

TEST_CASE("A product of more than a million points is refused before it is made") {
  std::string axes;
  for (int axis = 0; axis < 7; ++axis) {
    axes += "    a" + std::to_string(axis) + ": {key: k" + std::to_string(axis) + ", values: [0";
    for (int value = 1; value < 10; ++value) axes += ", " + std::to_string(value);
    axes += "]}\n";
  }
  CHECK_THAT(refusal(sweep_text(axes)), Catch::Matchers::Contains("more than 1000000 points"));
}

TEST_CASE("What is wrong with an experiment points to where the sweep sets it, and names a point") {
  using Catch::Matchers::Contains;
  CHECK_THAT(refusal(sweep_text("    rows: {key: elementwise.row, values: [64]}\n")),
             Contains("small.yaml:5:43: elementwise.row: unknown key; did you mean 'rows'") &&
                 Contains("(at rows=64)"));
  const std::string bad =
      refusal(sweep_text(kCols + "    rows: {key: elementwise.rows, values: [64, lots]}\n"));
  CHECK_THAT(bad, Contains("small.yaml:6:48: elementwise.rows: 'lots'"));
  CHECK(bad.find('\n') == std::string::npos);  // once, not at each value of the other axis
  CHECK_THAT(refusal(sweep_text("    file: {key: include, values: [nowhere.yaml]}\n")),
             Contains("nowhere.yaml"));
  CHECK_THAT(refusal(small_moe(
                 "    ep: {key: parallel.ep, values: [4]}\n    nodes: {key: parallel.nodes, values: [3]}\n")),
             Contains("do not lie evenly") && Contains("(at ep=4, nodes=3)"));
}

TEST_CASE("The command line sets values of every point, but none of an axis") {
  const SweepFolder folder;
  const auto file = folder.write("small.yaml", sweep_text(kRows));
  const std::vector<std::string> cols{"elementwise.cols=32"}, rows{"elementwise=1"};
  const SweepPlan narrow = plan_sweep(read_sweep(file, cols)), wide = plan_sweep(read_sweep(file, {}));
  CHECK(narrow.ids[0] != wide.ids[0]);
  CHECK(narrow.ids[0] ==
        planned(folder, sweep_text(kRows, "", "elementwise", "elementwise.cols: 32")).ids[0]);
  CHECK_THROWS_WITH(read_sweep(file, rows), Catch::Matchers::Contains("axis 'rows' sets elementwise.rows"));
}

TEST_CASE("Every shipped sweep resolves") {
  std::size_t sweeps = 0;
  for (const auto& entry : std::filesystem::directory_iterator(configs_folder() / "sweeps")) {
    INFO(entry.path());
    SweepSpec spec = read_sweep(entry.path(), {});
    // Of those that leave out what is refused, a part.
    constexpr std::size_t kKept = 2;
    for (SweepAxis& axis : spec.axes)
      if (spec.leave_out_refused && axis.values.size() > kKept)
        axis.values.erase(axis.values.begin(), axis.values.end() - kKept);
    const bool leaves_out = spec.leave_out_refused;
    const SweepPlan plan = plan_sweep(spec);
    if (leaves_out) {
      const SweepPlan threads = plan_sweep(std::move(spec), 3);
      CHECK(threads.ids == plan.ids);
      CHECK(threads.positions == plan.positions);
    }
    if (!leaves_out) CHECK(plan.refused.empty());
    CHECK(std::set<std::string>(plan.ids.begin(), plan.ids.end()).size() == plan.positions.size());
    ++sweeps;
  }
  CHECK(sweeps >= 6);
}

}  // namespace
}  // namespace a3sim
