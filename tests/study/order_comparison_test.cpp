#include "sim/study/explore/order_comparison.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "sim/core/error.h"
#include "sim/experiment/order_file.h"
#include "sim/experiment/run_experiment.h"
#include "tests/study/small_experiment.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

// A file with an order that is removed again.
class OrderFile {
 public:
  explicit OrderFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("a3sim_order_" + std::to_string(::getpid()) + ".yaml")) {
    std::ofstream(path_) << text;
  }
  OrderFile(const OrderFile&) = delete;
  OrderFile& operator=(const OrderFile&) = delete;
  ~OrderFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }
  std::string error() const {
    try {
      read_order_file(path_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

 private:
  std::filesystem::path path_;
};

OrderSpec shipped(const std::string& name) {
  return read_order_file(configs_folder() / "orders" / (name + ".yaml"));
}

OrderSpec keys(const std::string& ctq, const std::string& vtq) {
  OrderSpec order;
  order.name = "mine";
  order.keys[0] = {ctq};
  order.keys[1] = {vtq};
  return order;
}

// All experts backwards, one after the other, and one worker for all puts.
OrderSpec bad_order() {
  OrderSpec order = keys("-gexpert * 100 - stage", "-gexpert");
  order.pools.push_back({"comm", {"Dispatch", "Combine", "Combine_bwd", "Dispatch_bwd"}, 1});
  return order;
}

std::string last_line(const Report& report) {
  const std::string text = report.text();
  return text.substr(text.rfind('\n', text.size() - 2) + 1);
}

const TriedOrder& named(const OrderComparison& comparison, const std::string& name) {
  return *std::find_if(comparison.orders.begin() + 1, comparison.orders.end(),
                       [&](const TriedOrder& order) { return order.name == name; });
}

}  // namespace

TEST_CASE("every order runs as the experiment does with it") {
  const Experiment experiment = small();
  const OrderComparison comparison = try_order(experiment, shipped("ratr"), 2);
  REQUIRE(comparison.orders.size() == 1 + shipped_order_files().size());
  for (const std::filesystem::path& file : shipped_order_files()) {
    Experiment with = experiment;
    with.order = read_order_file(file);
    with.order.elsewhere = experiment.order.elsewhere;
    Duration total{};
    for (const PassResult& pass : run_experiment(with, false)) total += pass.run.makespan;
    INFO(file);
    CHECK(named(comparison, with.order.name).total == total);
  }
  CHECK(comparison.tried().total == named(comparison, "ratr").total);
  CHECK(comparison.findings.errors.empty());
  CHECK(!comparison.findings.notes.empty());
}

TEST_CASE("equal schedules are found equal, whatever the keys are called, and different ones are not") {
  const Experiment experiment = small();
  OrderSpec order = shipped("naive");
  order.name = "mine";
  order.keys[0].insert(order.keys[0].begin(), "2 * stage");
  const OrderComparison comparison = try_order(experiment, order, 2);
  CHECK(named(comparison, "naive").same_as == 0);
  CHECK(named(comparison, "sequential_branches").same_as == 0);
  CHECK_FALSE(named(comparison, "full").same_as);
  CHECK_FALSE(named(comparison, "ratr").same_as);                  // other places in the VTQ alone
  CHECK_FALSE(named(comparison, "interleaved_branches").same_as);  // in the CTQ alone
  OrderSpec shared = shipped("naive");
  shared.assignment = Assignment::kShared;
  const OrderComparison other = try_order(experiment, shared, 2);
  CHECK(named(other, "naive").same_as != 0);  // though as another shipped one is
}

TEST_CASE("of an order with the best one's schedules it is said so") {
  const Experiment experiment = small();
  const std::string best = try_order(experiment, shipped("naive"), 2).best()->name;
  const OrderComparison comparison = try_order(experiment, shipped(best), 2);
  CHECK_THAT(last_line(order_report(experiment, comparison)), Contains("has the schedules of " + best));
}

TEST_CASE("a bad order is slower, and the reasons add up to the difference") {
  const Experiment experiment = small();
  const OrderComparison comparison = try_order(experiment, bad_order(), 2);
  CHECK(comparison.tried().total > comparison.best()->total);
  CHECK_THAT(last_line(order_report(experiment, comparison)),
             Contains(comparison.best()->name + ", the best shipped order") && Contains("because"));
  for (const TriedOrder& order : comparison.orders) {
    const std::vector<LatencyReason> reasons = latency_reasons(experiment, comparison, order);
    const double sum = std::accumulate(reasons.begin(), reasons.end(), 0.0,
                                       [](double s, const LatencyReason& r) { return s + r.seconds; });
    constexpr double kRounding = 1e-12;
    CHECK(std::abs(sum - (seconds(comparison.tried().total) - seconds(order.total))) < kRounding);
  }
}

TEST_CASE("a trial is the same for any number of threads") {
  const Experiment experiment = small();
  const OrderComparison one = try_order(experiment, bad_order(), 1),
                        three = try_order(experiment, bad_order(), 3);
  CHECK(order_report(experiment, one).text() == order_report(experiment, three).text());
  CHECK(order_report(experiment, one).json() == order_report(experiment, three).json());
}

TEST_CASE("an experiment without matrix tasks is compared by its vector workers") {
  const Experiment experiment = load_experiment(configs_folder() / "experiments" / "swiglu_add.yaml",
                                                std::vector<std::string>{"swiglu_add.rows=4096"});
  const OrderComparison comparison = try_order(experiment, keys("stage", "-stage"), 2);
  CHECK(comparison.main_queue() == QueueType::kVtq);
  CHECK_THAT(order_report(experiment, comparison).text(), Contains("AIV waits ms"));
}

TEST_CASE("an order that does not fit is refused with its place; a shipped one is left out") {
  const Experiment experiment = small();
  OrderSpec pools = shipped("full");
  pools.pools.push_back({"comm", {"Dispatch"}, 50});
  CHECK_THROWS_WITH(try_order(experiment, pools, 2), Contains("full.yaml:") && Contains("50"));
  CHECK_THROWS_WITH(try_order(experiment, keys("GMM7", "stage"), 2), Contains("GMM7"));
}

TEST_CASE("what is wrong with an order's file is said with line and column") {
  CHECK_THAT(OrderFile("order:\n  name: mine\n  ctq: [stage, exprt]\n  vtq: [stage\n").error(),
             Contains(".yaml:"));
  CHECK_THAT(OrderFile("order:\n  name: mine\n  ctq: [stage, exprt]\n  vtq: [stage]\n").error(),
             Contains(".yaml:3:8") && Contains("exprt") && Contains("expert"));
  CHECK_THAT(OrderFile("order:\n  name: mine\n  ctq: [stage]\n  vtq: [stage]\n  pool: {}\n").error(),
             Contains(".yaml:5:") && Contains("pools"));
  CHECK_THAT(OrderFile("name: mine\nctq: [stage]\nvtq: [stage]\n").error(),
             Contains("below this key") && Contains("full.yaml"));
  CHECK_THAT(OrderFile("").error(), Contains(".yaml"));
}
