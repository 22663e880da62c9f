#include <catch2/catch.hpp>

#include "sim/published/overview.h"
#include "tests/published/toy.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

// 2 % to either side of latencies, and nothing of bandwidths.
std::optional<ErrorBar> two_percent(const Point& point) {
  if (point.metric != "latency" || !point.variant.empty()) return std::nullopt;
  return ErrorBar{0.98 * point.value, 1.02 * point.value};
}

}  // namespace

TEST_CASE("a table with error bars says where each published value lies, and the JSON has both ends") {
  Toy toy;
  const double copy = Toy::copy(1.33), both = Toy::both(1.33, 5.96);
  toy.publish("copy", "latency", std::to_string(1.01 * copy) + " us");
  toy.publish("both", "latency", std::to_string(1.03 * both) + " us");
  toy.publish("read", "bandwidth", "5 TB/s");
  const std::vector<Comparison> comparisons = compare(toy.table(), toy.predicted().points);
  const std::string text = comparison_table(comparisons, two_percent).text();
  CHECK_THAT(text, Contains("vs error bar") && Contains("inside") && Contains("above") && !Contains("below"));
  CHECK_THAT(comparison_table(comparisons).text(), !Contains("vs error bar"));
  for (const nlohmann::ordered_json& item : comparisons_json("toy", comparisons, two_percent)) {
    if (item["metric"] == "latency" && !item.contains("variant")) {
      CHECK(item["low"] == 0.98 * item["value"].get<double>());
      CHECK(item["high"] == 1.02 * item["value"].get<double>());
    } else {
      CHECK((item["low"].is_null() && item["high"].is_null()));
    }
  }
}

TEST_CASE("what is published below a bar is below, and both of its ends are inside") {
  const ErrorBar bar{2, 3};
  CHECK((bar.holds(2) && bar.holds(3) && !bar.holds(1.999) && !bar.holds(3.001)));
  Toy toy;
  toy.publish("copy", "latency", std::to_string(0.9 * Toy::copy(1.33)) + " us");
  const std::vector<Comparison> comparisons = compare(toy.table(), toy.predicted().points);
  CHECK_THAT(comparison_table(comparisons, two_percent).text(), Contains("below"));
}

TEST_CASE("how many published values lie inside is counted where there are bars") {
  Toy toy;
  toy.publish("copy", "latency", std::to_string(1.01 * Toy::copy(1.33)) + " us");
  toy.publish("both", "latency", std::to_string(1.03 * Toy::both(1.33, 5.96)) + " us");
  const std::vector<Comparison> comparisons = compare(toy.table(), toy.predicted().points);
  const auto last_cell = [&](const ErrorBars& bars) {
    const std::string text = trust_table({{"toy", comparisons, bars}}).text();
    return text.substr(text.find_last_of(' ') + 1);
  };
  CHECK(last_cell(two_percent) == "1\n");
  CHECK(last_cell({}) == "-\n");
}
