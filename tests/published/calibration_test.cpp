#include "sim/published/fit/calibration.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "tests/published/toy.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

bool everywhere(std::span<const double>) { return true; }

std::string exact(double value, const std::string& unit) { return std::to_string(value) + ' ' + unit; }

// Publishes all three points as they would be with these values.
void plant(Toy& toy, double hbm, double l2) {
  toy.publish("copy", "latency", exact(Toy::copy(hbm), "us"));
  toy.publish("read", "bandwidth", exact(Toy::read(l2), "TB/s"));
  toy.publish("both", "latency", exact(Toy::both(hbm, l2), "us"));
}

Calibration calibrated(const Toy& toy, unsigned threads = 1) {
  Scenario scenario = toy.scenario;
  scenario.threads = threads;
  return calibrate(toy.files(), {read_published_table(scenario.configs, "toy")}, scenario);
}

}  // namespace

TEST_CASE("singular values and directions are those of the closed form") {
  const double root = std::sqrt(0.5);
  // Two columns of length 1 at 60 degrees: sqrt(1 +- cos 60), along their sum and their difference.
  const SingularValues two = singular_values({{1, 0, 0}, {0.5, std::sqrt(0.75), 0}});
  CHECK(two.values[0] == Approx(std::sqrt(1.5)));
  CHECK(two.values[1] == Approx(std::sqrt(0.5)));
  CHECK(two.directions[0][0] == Approx(root));
  CHECK(two.directions[0][1] == Approx(root));
  CHECK(std::abs(two.directions[1][0] - two.directions[1][1]) == Approx(2 * root));
  // One column three times another: nothing is left of 3 a - b.
  const SingularValues dependent = singular_values({{1, 2}, {3, 6}});
  CHECK(dependent.values[0] == Approx(std::sqrt(50)));
  CHECK(dependent.values[1] == Approx(0).margin(1e-12));
  CHECK(dependent.directions[1][0] == Approx(3 / std::sqrt(10)));
  CHECK(dependent.directions[1][1] == Approx(-1 / std::sqrt(10)));
  // Fewer points than parameters, a column of zeros, one column.
  CHECK(singular_values({{3}, {4}, {0}}).values[0] == Approx(5));
  CHECK(singular_values({{3}, {4}, {0}}).values[1] == Approx(0).margin(1e-12));
  CHECK(singular_values({{0, 0}, {1, 1}}).values[1] == 0);
  REQUIRE(singular_values({{3, 4}}).values.size() == 1);
  CHECK(singular_values({{3, 4}}).values[0] == Approx(5));
}

TEST_CASE("the squares of the singular values add up to those of the matrix") {
  const ColumnList columns{{0.3, -1.2, 0.7, 2}, {1.1, 0.4, -0.9, 0.1}, {0.02, 0.5, 0.5, -1}, {2, 2, 1, 0.3}};
  double squares = 0, found = 0;
  for (const auto& column : columns)
    for (const double x : column) squares += x * x;
  const SingularValues result = singular_values(columns);
  for (const double value : result.values) found += value * value;
  CHECK(found == Approx(squares));
  CHECK(std::is_sorted(result.values.rbegin(), result.values.rend()));
  // A direction's image is as long as its singular value.
  for (std::size_t d = 0; d < 4; ++d) {
    double length = 0;
    for (std::size_t row = 0; row < 4; ++row) {
      double sum = 0;
      for (std::size_t p = 0; p < 4; ++p) sum += columns[p][row] * result.directions[d][p];
      length += sum * sum;
    }
    CHECK(std::sqrt(length) == Approx(result.values[d]));
  }
}

TEST_CASE("planted values of one to four parameters are found") {
  for (std::size_t n = 1; n <= 4; ++n) {
    const std::vector<double> planted{0.3, 0.85, 0.5, 0.07}, start{0.9, 0.1, 1, 0};
    // Each value leans on one parameter, and less on the next.
    const Model model = [n](std::span<const double> positions) {
      std::vector<double> values;
      for (std::size_t i = 0; i < n; ++i)
        values.push_back(1 / (1 + positions[i]) + 0.3 * positions[(i + 1) % n] + 1);
      return values;
    };
    const std::span<const double> all(planted);
    const FitProblem problem(model, everywhere, model(all.first(n)), {start.begin(), start.begin() + n});
    const FitProblem::Fit fit = problem.fit();
    for (std::size_t p = 0; p < n; ++p) CHECK(fit.positions[p] == Approx(planted[p]).margin(2e-3));
    CHECK(fit.objective < 1e-6);
  }
}

TEST_CASE("a fit stays admissible, and ends at the edge that it would cross") {
  const Model model = [](std::span<const double> positions) {
    return std::vector<double>{1 + positions[0], 1 + positions[1]};
  };
  const Admissible ordered = [](std::span<const double> positions) { return positions[0] <= positions[1]; };
  const FitProblem problem(
      [&](std::span<const double> positions) {
        if (positions[0] > positions[1]) throw RunError("outside");
        return model(positions);
      },
      ordered, {1.8, 1.2}, {0.1, 0.9});
  const FitProblem::Fit fit = problem.fit();
  // The best with both equal: the root of the product of 1.8 and 1.2.
  CHECK(fit.positions[0] == Approx(std::sqrt(1.8 * 1.2) - 1).margin(0.02));
  CHECK(fit.positions[1] == Approx(std::sqrt(1.8 * 1.2) - 1).margin(0.02));
}

TEST_CASE("what goes wrong inside a model ends the fit with its own error") {
  const FitProblem failing([](std::span<const double>) -> std::vector<double> { throw InputError("why"); },
                           everywhere, {1}, {0.5});
  CHECK_THROWS_WITH(failing.fit(), "why");
  const FitProblem zero([](std::span<const double>) { return std::vector<double>{0}; }, everywhere, {1},
                        {0.5});
  CHECK_THROWS_AS(zero.fit(), RunError);
}

TEST_CASE("a point that is left out does not pull at the fit") {
  const Model model = [](std::span<const double> positions) {
    return std::vector<double>{1 + positions[0], 2 + 2 * positions[0], 1 + positions[0]};
  };
  // The last one says 0.9, the others 0.3.
  const FitProblem problem(model, everywhere, {1.3, 2.6, 1.9}, {0.5});
  const FitProblem::Fit all = problem.fit();
  CHECK(all.positions[0] == Approx(std::cbrt(1.3 * 1.3 * 1.9) - 1).margin(1e-3));
  CHECK(problem.fit_without(2, all).positions[0] == Approx(0.3).margin(1e-3));
  CHECK(problem.fit_without(0, all).positions[0] == Approx(std::sqrt(1.3 * 1.9) - 1).margin(1e-3));
}

TEST_CASE("planted hardware values are found, and written with four digits") {
  Toy toy;
  plant(toy, 1.256, 4.9);
  const Calibration result = calibrated(toy);
  REQUIRE(result.parameters.size() == 2);
  CHECK(result.refused.empty());
  CHECK(result.parameters[0].value == "1.256 TB/s");
  CHECK(result.parameters[1].value == "4.9 TB/s");
  for (const Calibration::Fitted& fitted : result.parameters)
    CHECK(!(fitted.at_low_end() || fitted.at_high_end()));
  CHECK(result.parameters[0].reach == Approx(std::log(1.4 / 1.2)));
  double sum = 0;  // of what is written, not of what the search has found
  for (const Calibration::Fit& fit : result.points) sum += std::pow(std::log(fit.after / fit.published), 2);
  CHECK(result.objective_after == Approx(sum));
  CHECK(result.objective_after < 1e-7);
  CHECK(result.objective_after < result.objective_before);
  for (const Calibration::Fit& fit : result.points) {
    CHECK(fit.after == Approx(fit.published).epsilon(2e-4));
    CHECK(fit.left_out == Approx(fit.published).epsilon(2e-3));  // two of the three points say it all
  }
  CHECK_THAT(calibration_report(result).text(), Contains("1.256 TB/s") && Contains("weakest"));
  CHECK(calibration_report(result).json()["parameters"][1]["fitted"] == "4.9 TB/s");
}

TEST_CASE("a calibration gives the same bytes each time, whatever the number of threads", "[slow]") {
  Toy toy;
  plant(toy, 1.3, 4.2);
  const std::string once = calibration_report(calibrated(toy)).text();
  CHECK(calibration_report(calibrated(toy, 3)).text() == once);
}

TEST_CASE("a point that is published for comparison is not fitted to") {
  Toy toy;
  toy.publish("copy", "latency", exact(Toy::copy(1.256), "us"));
  toy.publish("read", "bandwidth", exact(Toy::read(4.9), "TB/s"));
  toy.publish("both", "latency", "1 us", "use: comparison");
  toy.publish("copy", "bandwidth", "1 TB/s", "use: comparison");  // of a case that is fitted to otherwise
  const Calibration result = calibrated(toy);
  CHECK(result.points.size() == 2);
  CHECK(result.parameters[0].value == "1.256 TB/s");
}

TEST_CASE("a fit that would leave a range stops at its end and says so") {
  Toy toy;
  plant(toy, 1.5, 3.5);
  const Calibration result = calibrated(toy);
  CHECK(result.parameters[0].value == "1.4 TB/s");
  CHECK(result.parameters[0].at_high_end());
  CHECK(!result.parameters[0].at_low_end());
  CHECK(result.parameters[1].value == "4 TB/s");
  CHECK(result.parameters[1].at_low_end());
  CHECK(result.refused.empty());
}

TEST_CASE("a parameter that moves no point is refused", "[slow]") {
  Toy toy(Toy::kHbm, Toy::kL2, "{value: 200 ns, range: [100 ns, 300 ns], fitted: true, source: s}");
  plant(toy, 1.3, 4.5);
  const Calibration result = calibrated(toy);
  REQUIRE(result.refused.size() == 1);
  CHECK_THAT(result.refused[0], Contains("fabric.put_fence") && Contains("moves no point"));
  CHECK(result.identified.values.back() == 0);
}

TEST_CASE("parameters that the points show only together are refused") {
  Toy toy;
  toy.publish("both", "latency", exact(Toy::both(1.3, 4.5), "us"));
  const Calibration result = calibrated(toy);
  REQUIRE(result.refused.size() == 1);
  CHECK_THAT(result.refused[0], Contains("make up for it"));
}

TEST_CASE("what no point shows is named and stays as it is, and the rest is fitted") {
  Toy toy(Toy::kHbm, Toy::kL2, "{value: 200 ns, range: [100 ns, 300 ns], fitted: true, source: s}");
  toy.publish("copy", "latency", exact(Toy::copy(1.256), "us"));
  const Calibration result = calibrate_what_is_identified(toy.files(), {toy.table()}, toy.scenario, true);
  CHECK(result.unidentified ==
        std::vector<std::string>{"hardware.memory.l2_read", "hardware.fabric.put_fence"});
  REQUIRE(result.parameters.size() == 1);
  CHECK(result.parameters[0].parameter.path() == "hardware.memory.hbm_read");
  CHECK(result.parameters[0].value == "1.256 TB/s");
}

TEST_CASE("nothing to fit to is an error") {
  Toy toy;
  CHECK_THROWS_AS(calibrated(toy), InputError);
  toy.publish("copy", "latency", "60 us", "use: comparison");
  CHECK_THROWS_AS(calibrated(toy), InputError);
}
