#include "sim/compare/orders/order_comparison.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/order_file.h"
#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/result/report.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

// A file with an order that is removed again.
class OrderFile {
 public:
  explicit OrderFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("a3sim_order_" + std::to_string(::getpid()) + "_" + std::to_string(++made) + ".yaml")) {
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
  static inline int made = 0;
  std::filesystem::path path_;
};

const JitterOptions kOne = JitterOptions::none();
TryOptions single_runs(unsigned threads) { return {kOne, false, threads}; }

OrderSpec compared_order(const std::string& name) {
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
  return *std::find_if(comparison.orders.begin(), comparison.orders.end(),
                       [&](const TriedOrder& order) { return order.name == name; });
}

}  // namespace

TEST_CASE("every order runs as the experiment does with it") {
  const Experiment experiment = small();
  const OrderComparison comparison = try_order(experiment, compared_order("ratr"), single_runs(2));
  // Those of other graphs are none to compare with.
  std::vector<std::filesystem::path> files = files_in(configs_folder() / "orders");
  std::erase_if(files, [](const std::filesystem::path& file) { return file.stem() == "mega_moe"; });
  REQUIRE(comparison.orders.size() == files.size());  // the tried one is shipped, and is there once
  CHECK(comparison.tried().name == "ratr");
  for (const std::filesystem::path& file : files) {
    Experiment with = experiment;
    with.order = read_order_file(file);
    with.order.elsewhere = experiment.order.elsewhere;
    const TriedOrder& order = named(comparison, with.order.name);
    INFO(file);
    CHECK(order.refused.empty());
    Duration total{};
    for (const PassResult& pass : run_experiment(with, false)) total += pass.run.makespan;
    CHECK(order.total() == total);
  }
  CHECK_THAT(order_report(experiment, comparison, kOne).text(), !Contains("Does not fit"));
  CHECK(comparison.findings.errors.empty());
  CHECK(!comparison.findings.notes.empty());
}

TEST_CASE("orders are ranked after every run, by what these runs have come to") {
  const Experiment experiment = small();
  TryOptions options{{6, 1, 0.05, 0.02}, false, 2};
  std::vector<OrderRanking> seen;
  options.ranked = [&](const OrderRanking& ranking) { seen.push_back(ranking); };
  const OrderComparison comparison = try_order(experiment, compared_order("ratr"), options);
  REQUIRE(seen.size() == 5);
  for (std::size_t run = 0; run < seen.size(); ++run) {
    CHECK(seen[run].extent == std::to_string(run + 1) + " of 6 runs");
    REQUIRE(seen[run].rows.size() == comparison.orders.size());
    for (std::size_t o = 0; o < comparison.orders.size(); ++o) {
      const Latencies& all = comparison.orders[o].totals;
      CHECK(seen[run].rows[o].totals ==
            Latencies(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(run) + 1));
    }
  }
  const Report report = seen.back().report();
  const Table& table = report.table("ranking");
  CHECK(std::ranges::is_sorted(table.rows(), {}, [](const auto& row) { return std::get<Duration>(row[1]); }));
}

TEST_CASE("equal schedules are found equal, whatever the keys are called, and different ones are not") {
  const Experiment experiment = small();
  OrderSpec order = compared_order("naive");
  order.name = "mine";
  order.keys[0].insert(order.keys[0].begin(), "2 * stage");
  const OrderComparison comparison = try_order(experiment, order, single_runs(2));
  CHECK(named(comparison, "naive").same_as == 0);
  CHECK(named(comparison, "sequential_branches").same_as == 0);
  CHECK_FALSE(named(comparison, "full").same_as);
  CHECK_FALSE(named(comparison, "ratr").same_as);                  // other places in the VTQ alone
  CHECK_FALSE(named(comparison, "interleaved_branches").same_as);  // in the CTQ alone
  OrderSpec shared = compared_order("naive");
  shared.assignment = Assignment::kShared;
  const OrderComparison other = try_order(experiment, shared, single_runs(2));
  CHECK(named(other, "naive").same_as != 0);  // though as another shipped one is
}

TEST_CASE(
    "of an order with the best one's schedules it is said so, and a shipped one is compared with the "
    "others") {
  const Experiment experiment = small();
  const std::string best = try_order(experiment, bad_order(), single_runs(2)).best()->name;
  OrderSpec copy = compared_order(best);
  copy.name = "mine";
  const OrderComparison comparison = try_order(experiment, copy, single_runs(2));
  CHECK_THAT(last_line(order_report(experiment, comparison, kOne)), Contains("has the schedules of " + best));
  const OrderComparison itself = try_order(experiment, compared_order(best), single_runs(2));
  CHECK(itself.best()->name != best);
  CHECK_THAT(order_report(experiment, itself, kOne).text(), Contains("the best of the other shipped orders"));
}

TEST_CASE("the verdict is against the order that was asked for, shipped or not") {
  const Experiment experiment = small({"hardware.fabric.planes.hccs.ingress=1 GB/s", "workers.aiv=2"});
  TryOptions options = single_runs(2);
  options.against = compared_order("naive");
  const OrderComparison shipped_one = try_order(experiment, compared_order("ratr"), options);
  CHECK(shipped_one.against()->name == "naive");
  CHECK(std::ranges::count(shipped_one.orders, "naive", &TriedOrder::name) == 1);
  CHECK(std::ranges::count(shipped_one.orders, "ratr", &TriedOrder::name) == 1);
  const std::string text = order_report(experiment, shipped_one, kOne).text();
  CHECK_THAT(text, Contains("to naive") && Contains("compared with") && !Contains("best shipped"));
  const double longer =
      seconds(shipped_one.tried().total()) / seconds(named(shipped_one, "naive").total()) - 1;
  CHECK(order_report(experiment, shipped_one, kOne).json()["orders"][0]["to_against"].get<double>() ==
        Approx(longer));
  options.against = bad_order();
  const OrderComparison own = try_order(experiment, compared_order("ratr"), options);
  CHECK(own.against()->name == "mine");
  CHECK(own.orders.size() == shipped_one.orders.size() + 1);
  CHECK(own.best()->name != "mine");  // it is not shipped
  CHECK_THAT(last_line(order_report(experiment, own, kOne)), Contains("times faster than mine"));
  options.against = compared_order("ratr");
  CHECK_THROWS_WITH(try_order(experiment, compared_order("ratr"), options),
                    Contains("the tried order itself"));
}

TEST_CASE("a bad order is slower, and the reasons add up to the difference") {
  const Experiment experiment = small();
  const OrderComparison comparison = try_order(experiment, bad_order(), single_runs(2));
  CHECK(comparison.tried().total() > comparison.best()->total());
  const Report report = order_report(experiment, comparison, kOne);
  CHECK_THAT(report.text(),
             Contains(comparison.best()->name + ", the best shipped order") && Contains("because"));
  CHECK_THAT(last_line(report),
             Contains(comparison.best()->name + " is ") && Contains("times faster than mine"));
  for (const TriedOrder& order : comparison.orders) {
    if (!order.refused.empty()) {
      CHECK_THROWS_AS(latency_reasons(experiment, comparison, order), std::logic_error);
      continue;
    }
    const std::vector<LatencyReason> reasons = latency_reasons(experiment, comparison, order);
    const double sum = std::accumulate(reasons.begin(), reasons.end(), 0.0,
                                       [](double s, const LatencyReason& r) { return s + r.seconds; });
    constexpr double kRounding = 1e-12;
    CHECK(std::abs(sum - (seconds(comparison.tried().total()) - seconds(order.total()))) < kRounding);
  }
}

// Once an order was slower by 0.090 ms because one operator waited 0.268 ms more for its rows, although the next one waited
// as much less: what it lost to L2 misses was the reason.
TEST_CASE("a wait that only moves to another operator is no reason") {
  const std::vector<LatencyReason> reasons{{0.268, "wait a", {}, {}, {}, "backward: without rows"},
                                           {-0.268, "wait b", {}, {}, {}, "backward: without rows"},
                                           {0.079, "miss a", {}, {}, {}, "backward: lost to L2 misses"},
                                           {0.011, "miss b", {}, {}, {}, "backward: lost to L2 misses"}};
  CHECK(weightiest(reasons, 1).front().text == "miss a");
  CHECK(weightiest({reasons[0], reasons[2]}, 1).front().text == "wait a");
  CHECK(weightiest({{-0.1, "less"}, {0.05, "more"}}, -1).front().text == "less");
  const Experiment experiment = small();
  const OrderComparison comparison = try_order(experiment, bad_order(), single_runs(2));
  for (const LatencyReason& reason : latency_reasons(experiment, comparison, *comparison.best()))
    CHECK(reason.kind.find(": ") != std::string::npos);
}

TEST_CASE("what a trial calls waiting and idle is what a run's page does") {
  const Experiment experiment = small();
  const TriedOrder order = try_order(experiment, experiment.order, {JitterOptions::none(), false, 2}).tried();
  const std::vector<PassResult> passes = run_experiment(experiment, true, backend_in_threads(experiment));
  const nlohmann::ordered_json json = run_summary(experiment, Compiled{}, passes).json;
  for (std::size_t p = 0; p < passes.size(); ++p) {
    std::int64_t waited = 0, idle = 0;
    for (const auto& rank : json["passes"][p]["ranks"]) {
      waited += rank["aic_waited_ps"].get<std::int64_t>();
      idle += rank["aic_idle_ps"].get<std::int64_t>();
    }
    CHECK(part_of(order.passes[p].times[0], WorkerTime::kWait).count() == waited);
    CHECK(part_of(order.passes[p].times[0], WorkerTime::kIdle).count() == idle);
  }
}

TEST_CASE("a trial is the same for any number of threads") {
  const Experiment experiment = small();
  const OrderComparison one = try_order(experiment, bad_order(), single_runs(1)),
                        three = try_order(experiment, bad_order(), single_runs(3));
  CHECK(order_report(experiment, one, kOne).text() == order_report(experiment, three, kOne).text());
  CHECK(order_report(experiment, one, kOne).json() == order_report(experiment, three, kOne).json());
}

TEST_CASE("an experiment without matrix tasks is compared by its vector workers") {
  const Experiment experiment = load_experiment(configs_folder() / "experiments" / "swiglu_add.yaml",
                                                std::vector<std::string>{"graph.sizes.rows=4096"});
  const OrderComparison comparison = try_order(experiment, keys("stage", "-stage"), single_runs(2));
  CHECK(comparison.main_kind() == kAivQueue);
  CHECK_THAT(order_report(experiment, comparison, kOne).text(), Contains("AIV waits ms"));
}

TEST_CASE("an order that does not fit is refused with its place; a shipped one is left out") {
  const Experiment experiment = small();
  OrderSpec pools = compared_order("full");
  pools.pools.push_back({"comm", {"Dispatch"}, 50});
  CHECK_THROWS_WITH(try_order(experiment, pools, single_runs(2)), Contains("full.yaml:") && Contains("50"));
  CHECK_THROWS_WITH(try_order(experiment, keys("GMM7", "stage"), single_runs(2)), Contains("GMM7"));
}

TEST_CASE("an entry of pools or limits that means nothing is told, and which operators it leaves out") {
  const auto unused = [](OrderSpec order, const std::vector<std::string>& set) {
    return unused_entries(with_order(small(set), std::move(order)));
  };
  OrderSpec order = compared_order("full");
  order.pools.push_back({"comm", {"Dispatch", "Combine"}, 16});
  const std::vector<std::string> both = unused(order, {});
  REQUIRE(both.size() == 2);
  CHECK_THAT(both[0], Contains("full.yaml:") && Contains("pool 'comm': 'Dispatch' means no operator of pass "
                                                         "backward, where Dispatch_bwd is left out"));
  CHECK_THAT(both[1], Contains("'Combine'") && Contains("Combine_bwd"));
  CHECK(unused(order, {"experiment.pass=forward"}).empty());
  CHECK(unused(order, {"experiment.pass=backward"}).size() == 2);
  CHECK_THAT(unused(order, {"experiment.pass=backward"})[0],
             Contains("'Dispatch' means no operator of any pass"));
  order.pools = {{"comm", {"Dispatch*", "Combine", "Combine_bwd"}, 16}};
  CHECK(unused(order, {}).empty());
  order.pools = {{"there", {"Dispatch"}, 8}, {"back", {"Dispatch_bwd"}, 12}};  // one for each pass
  CHECK(unused(order, {}).empty());
  order.limits = {{"GroupedMatmulWeightGrad", 3}};
  CHECK(unused(order, {}).empty());
  order.limits = {{"Permute", 3}};  // of a wider window
  CHECK_THAT(unused(order, {}).at(0), Contains("limit: 'Permute' means no operator of any pass"));
}

TEST_CASE(
    "a configuration with another file's order is that of its values, and none of its own order's stay") {
  const OrderFile mine(
      "order:\n  name: mine\n  ctq: [stage, -rows]\n  vtq: [stage, distance, node, dst]\n"
      "  limit: {Dispatch*: 7}\n");
  const std::string set[] = {"parallel.ep=2", "model.tokens=64", "order.limit.Dispatch*=5"};
  const std::filesystem::path config = configs_folder() / "experiments" / "ep4.yaml";
  const Experiment experiment = load_with_order(config, mine.path(), set);
  CHECK(experiment.order.name == "mine");
  CHECK(experiment.order.keys[0] == std::vector<std::string>{"stage", "-rows"});
  CHECK(experiment.order.limits.at("Dispatch*") == 5);  // overrides come last
  CHECK(experiment.shape.ep == 2);
  // What ran stands in the resolved configuration.
  const Experiment again = parse_experiment(experiment.resolved, "resolved.yaml", {});
  CHECK(again.order.keys[1] == experiment.order.keys[1]);
  CHECK(again.resolved == experiment.resolved);
  const OrderFile wrong("order:\n  name: mine\n  ctq: [stage, exprt]\n  vtq: [stage]\n");
  CHECK_THROWS_WITH(load_with_order(config, wrong.path(), {}), Contains(".yaml:3:8") && Contains("exprt"));
}

TEST_CASE("of a graph that is its own reference nothing is called right") {
  const std::filesystem::path folder = configs_folder() / "experiments";
  OrderSpec order = keys("stage", "stage");
  const auto tried = [&](const std::filesystem::path& config, const std::vector<std::string>& set) {
    return try_order(load_experiment(config, set), order, {JitterOptions::none(), false, 2, config, set});
  };
  const OrderComparison known = tried(folder / "swiglu_add.yaml", {"graph.sizes.rows=512"});
  CHECK(known.results == "right, on real tensors at a small shape");
  const OrderComparison custom = tried(folder / "diamond.yaml", {});
  CHECK_THAT(custom.results, !Contains("right") && Contains("diamond") && Contains("not checked"));
  CHECK(custom.findings.errors.empty());
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

TEST_CASE(
    "under jitter totals are medians, differences are paired, and the reasons add up to the median one") {
  const Experiment experiment = small();
  const TryOptions options{{9, 2, 0.05, 0.02}, false, 2};
  const OrderComparison comparison = try_order(experiment, bad_order(), options);
  const TriedOrder &tried = comparison.tried(), &best = *comparison.best();
  REQUIRE(tried.totals.size() == 9);
  Latencies sorted = tried.totals;
  std::ranges::sort(sorted);
  CHECK(tried.total() == sorted[4]);
  const std::vector<LatencyReason> reasons = latency_reasons(experiment, comparison, best);
  const double sum = std::accumulate(reasons.begin(), reasons.end(), 0.0,
                                     [](double s, const LatencyReason& r) { return s + r.seconds; });
  constexpr double kRounding = 1e-12;
  CHECK(std::abs(sum - 1e-12 * difference_between(tried.totals, best.totals).median) < kRounding);
}

TEST_CASE("orders that jitter does not tell apart are said to be so, and no reason is given") {
  const Experiment experiment = small();
  const JitterOptions jitter{7, 1, 0.05, 0.02};
  OrderComparison comparison = try_order(experiment, bad_order(), {jitter, false, 2});
  const std::string best = comparison.best()->name;
  const auto text_when = [&](const std::vector<int>& microseconds_later) {
    for (std::size_t run = 0; run < 7; ++run)
      comparison.orders.front().totals[run] =
          named(comparison, best).totals[run] + std::chrono::microseconds(microseconds_later[run]);
    return order_report(experiment, comparison, jitter).text();
  };
  const std::string unclear = text_when({5, -1, 4, 3, 6, 2, 7}), clear = text_when({5, 1, 4, 3, 6, 2, 7});
  CHECK_THAT(unclear, Contains("mine does not differ by more than noise from " + best) &&
                          Contains(", noise") && !Contains("because"));
  CHECK_THAT(clear, Contains("slower than " + best) && Contains("because") && !Contains("more than noise"));
}
