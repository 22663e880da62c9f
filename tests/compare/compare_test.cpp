#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "scheduler/orders/order_csv.h"
#include "sim/compare/runs/run_difference.h"
#include "sim/core/error.h"
#include "sim/experiment/run/run_experiment.h"
#include "tests/experiment/saved.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

class TwoRuns {
 public:
  TwoRuns(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    save(small(a), folder_.path() / "a");
    save(small(b), folder_.path() / "b");
    runs_[0] = read_run(folder_.path() / "a", "");
    runs_[1] = read_run(folder_.path() / "b", "");
  }
  // What it returns points into these runs.
  RunDifference difference() const& { return difference(JitterOptions::none()); }
  RunDifference difference(const JitterOptions& jitter) const& {
    return difference_of(runs_[0], runs_[1], jitter, 2);
  }
  void difference(const std::function<void(const RunDifference&)>& seen) const& {
    difference_of(runs_[0], runs_[1], JitterOptions::none(), 1, seen);
  }
  RunDifference difference() && = delete;

 private:
  TemporaryFolder folder_;
  SavedRun runs_[2];
};

void check_sums(const RunDifference& difference) {
  for (const RunDifference::ExplainedPass& pass : difference.passes) {
    Duration sum{};
    for (const BlameTimes& times : pass.blame.blame) {
      for (const Duration time : times) sum += time;
    }
    CHECK(sum == pass.trace[1]->makespan - pass.trace[0]->makespan);
  }
}

}  // namespace

TEST_CASE("the verdict names the one part in which two runs differ, which explains all of the difference") {
  struct Planted {
    const char* set;
    const char* part;
  };
  const Planted planted[] = {{"hardware.fabric.planes.hccs.egress=5 GB/s", "links"},
                             {"hardware.fabric.levels.node.latency=20 us", "links"},
                             {"hardware.fabric.put_per_worker=100 MB/s", "links"},
                             {"cut.chunk=4", "order, cut and execution"},
                             {"experiment.execution=dynamic", "order, cut and execution"},
                             {"experiment.execution=kernel", "order, cut and execution"},
                             {"hardware.memory.l2_size=96 KiB", "L2 size and policy"},
                             {"hardware.memory.hbm_read=20 GB/s", "memory rates"},
                             {"hardware.clock=185 MHz", "compute rates"},
                             {"hardware.workers.cube.macs_16=256 MAC/cycle", "compute rates"},
                             {"workers.aiv=2", "number of workers"},
                             {"program.tasks.static_task=5 us", "task and launch overheads"},
                             {"program.launch.alone=50 us", "task and launch overheads"},
                             {"tiling.base_n=32", "tiling"},
                             {"routing.kind=sampled", "workload"}};
  for (const Planted& entry : planted) {
    INFO(entry.set);
    const TwoRuns runs({entry.set}, {});
    const RunDifference difference = runs.difference();
    check_sums(difference);
    REQUIRE(difference.total[0] != difference.total[1]);
    REQUIRE(difference.counterfactuals.parts.size() == 1);
    CHECK(difference.counterfactuals.b == Latencies{difference.total[1]});
    CHECK(difference.counterfactuals.a == Latencies{difference.total[0]});
    CHECK(difference.counterfactuals.parts[0].totals == Latencies{difference.total[0]});
    const std::string key = std::string(entry.set).substr(0, std::string(entry.set).find('='));
    CHECK_THAT(conclusion(difference), Contains(std::string("the largest cause lies in the ") + entry.part));
    CHECK_THAT(conclusion(difference), Contains(key));
    CHECK_THAT(difference_report(difference, JitterOptions::none()).text(), Contains(conclusion(difference)));
  }
}

TEST_CASE("an order alone is the cause where nothing else differs") {
  // Slow ports and few workers, so that it matters who sends to whom at a time.
  const TwoRuns runs({"hardware.fabric.planes.hccs.ingress=1 GB/s", "workers.aiv=2",
                      "order.vtq=[stage, expert, chunk, dst]"},
                     {"hardware.fabric.planes.hccs.ingress=1 GB/s", "workers.aiv=2"});
  const RunDifference difference = runs.difference();
  check_sums(difference);
  REQUIRE(difference.counterfactuals.parts.size() == 1);
  CHECK(difference.counterfactuals.parts[0].totals == Latencies{difference.total[0]});
  CHECK_THAT(conclusion(difference),
             Contains("the largest cause lies in the order, cut and execution (order.vtq is"));
}

TEST_CASE("the verdict says what grew on the critical path, and where, in the numbers of the blame table") {
  struct Planted {
    const char *set, *what, *op;
  };
  const Planted planted[] = {
      {"hardware.clock=185 MHz", "cores' own loads and stores: ", "GMM"},
      {"hardware.fabric.put_per_worker=100 MB/s", "puts at the rate of one worker: ", ""},
      {"program.launch.alone=500 us", "launching kernels: ", ""}};
  for (const Planted& entry : planted) {
    INFO(entry.set);
    const TwoRuns slow({entry.set}, {}), fast({}, {entry.set});
    const RunDifference difference = slow.difference();
    const std::string text = conclusion(difference);
    CHECK_THAT(text, Contains(std::string("on the critical path most of it is ") + entry.what) &&
                         Contains(std::string(" in ") + entry.op) && Contains(" ms less"));
    CHECK_THAT(text, !Contains("100 %"));  // the only difference makes all of it
    CHECK_THAT(conclusion(fast.difference()), Contains(entry.what) && Contains(" ms more"));
    Duration most{};
    for (std::uint32_t b = 0; b < kBlames; ++b) {
      Duration sum{};
      for (const RunDifference::ExplainedPass& pass : difference.passes) {
        for (const BlameTimes& times : pass.blame.blame) sum -= times[b];
      }
      most = std::max(most, sum);
    }
    CHECK_THAT(text, Contains(entry.what + in_milliseconds(most) + " ms less"));
  }
}

TEST_CASE("two graphs of other names are compared, and long values are not spelled out") {
  const TemporaryFolder folder;
  const std::filesystem::path experiments = configs_folder() / "experiments";
  save(load_experiment(experiments / "diamond.yaml", {}), folder.path() / "a");
  save(load_experiment(experiments / "contention.yaml", {}), folder.path() / "b");
  const SavedRun a = read_run(folder.path() / "a", ""), b = read_run(folder.path() / "b", "");
  const RunDifference difference = difference_of(a, b, JitterOptions::none(), 2);
  check_sums(difference);
  CHECK(difference.passes.at(0).name == a.passes[0].name + " and " + b.passes[0].name);
  CHECK(difference.counterfactuals.b == Latencies{difference.total[1]});
  const std::string text = difference_report(difference, JitterOptions::none()).text();
  CHECK_THAT(text, Contains("…") && Contains("the largest cause lies in the workload"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  graph")) CHECK(line.size() < 160);
  }
}

TEST_CASE("how many schedulers hand tasks out belongs to the execution") {
  const TwoRuns runs({"experiment.execution=dynamic"},
                     {"experiment.execution=dynamic", "experiment.dispatch_servers=4"});
  const RunDifference difference = runs.difference();
  CHECK(difference.counterfactuals.parts.at(0).totals == Latencies{difference.total[0]});
  CHECK_THAT(conclusion(difference), Contains("experiment.dispatch_servers is 1 in A, 4 in B"));
}

TEST_CASE("under the dynamic scheduler, its cost a task is an overhead") {
  const TwoRuns runs({"experiment.execution=dynamic", "program.tasks.dynamic_task=9 us"},
                     {"experiment.execution=dynamic"});
  const RunDifference difference = runs.difference();
  check_sums(difference);
  CHECK_THAT(conclusion(difference),
             Contains("the task and launch overheads (program.tasks.dynamic_task is 9 us"));
}

TEST_CASE("of two differences the larger one is the cause, whichever side is slower") {
  const std::vector<std::string> slow{"hardware.fabric.planes.hccs.egress=5 GB/s",
                                      "program.tasks.static_task=0.2 us"};
  const TwoRuns slow_first(slow, {}), slow_last({}, slow);
  const RunDifference longer = slow_first.difference(), less = slow_last.difference();
  CHECK(longer.counterfactuals.parts.size() == 2);
  CHECK_THAT(conclusion(longer), Contains("less than A; the largest cause lies in the links"));
  CHECK_THAT(conclusion(less), Contains("longer than A; the largest cause lies in the links"));
}

TEST_CASE("equal runs differ in nothing, and different names are no difference") {
  const TwoRuns same({}, {}), named({"experiment.name=other"}, {});
  const TwoRuns unused({"program.tasks.dynamic_task=9 us"}, {});
  CHECK(conclusion(same.difference()) == "Nothing differs.");
  CHECK(conclusion(named.difference()) == "Nothing differs.");
  CHECK(conclusion(unused.difference()) == "The configurations differ, but the latencies do not.");
}

TEST_CASE("hit rates alone change what misses cost, and nothing where they are equal") {
  const TwoRuns caches({"hardware.memory.l2_size=96 KiB"}, {}),
      launches({"program.tasks.static_task=5 us"}, {});
  const RunDifference cache = caches.difference();
  REQUIRE(cache.counterfactuals.hit_rates);
  CHECK(cache.counterfactuals.hit_rates->median > 0);
  CHECK_THAT(conclusion(cache), Contains("A's L2 hit rates alone make"));
  CHECK_FALSE(launches.difference().counterfactuals.hit_rates);
}

TEST_CASE("a part that B cannot take over is said, and the others are still run") {
  const TwoRuns runs({"order.pools={comm: {operators: [Dispatch, Combine], workers: 20}}"},
                     {"workers.aiv=8"});
  const RunDifference difference = runs.difference();
  check_sums(difference);
  const std::vector<Counterfactual>& parts = difference.counterfactuals.parts;
  REQUIRE(parts.size() == 2);
  CHECK_FALSE(parts[0].error.empty());
  CHECK(parts[1].totals.front() > Duration::zero());
  CHECK_THAT(difference_report(difference, JitterOptions::none()).text(),
             Contains("B cannot run with A's order, cut and execution: " + parts[0].error));
  CHECK(difference_report(difference, JitterOptions::none()).json()["counterfactuals"][0]["error"] ==
        parts[0].error);
}

TEST_CASE("under jitter both sides are run again under the same draws, and the interval is said") {
  const JitterOptions jitter{9, 1, 0.05, 0.02};
  const TwoRuns runs({"hardware.clock=1.6 GHz"}, {});
  const RunDifference difference = runs.difference(jitter);
  CHECK(difference.counterfactuals.a.size() == 9);
  CHECK(difference.counterfactuals.parts.at(0).totals == difference.counterfactuals.a);
  CHECK_THAT(conclusion(difference),
             Contains("less than A (95 %: -") && Contains("the largest cause lies in the compute rates"));
  const nlohmann::ordered_json json = difference_report(difference, jitter).json();
  CHECK(json["jitter"]["runs"] == 9);
  CHECK(json["difference_again_ps"]["low"] == difference.apart().low);
}

TEST_CASE("what is noise is said to be, whatever the saved runs were, and no part of it is a cause") {
  const auto runs = [](const std::vector<int>& microseconds) {
    Latencies latencies;
    for (const int time : microseconds) latencies.emplace_back(std::int64_t{time} * 1'000'000);
    return latencies;
  };
  RunDifference difference;
  difference.total[0] = std::chrono::milliseconds(12);
  difference.total[1] = std::chrono::milliseconds(11);
  difference.counterfactuals.b = runs({100, 110, 120, 130, 140, 150});
  difference.counterfactuals.a = runs({101, 111, 121, 131, 141, 149});
  difference.counterfactuals.parts.push_back(
      {"links", {{"network", "x", "y"}}, difference.counterfactuals.a, {}});
  CHECK_THAT(conclusion(difference),
             Contains("A and B do not differ by more than noise: -0.001 ms") && Contains("noise)") &&
                 Contains("The saved runs differ by -1.000 ms.") && !Contains("largest cause"));
  // A cause must be clear of noise by itself: the larger median of `tiling` is not.
  difference.counterfactuals.a = runs({105, 115, 125, 135, 145, 155});
  difference.counterfactuals.parts[0].totals = runs({104, 114, 124, 134, 144, 154});
  difference.counterfactuals.parts.push_back(
      {"tiling", {{"tiling", "x", "y"}}, runs({90, 119, 129, 139, 149, 159}), {}});
  CHECK_THAT(conclusion(difference), Contains("the largest cause lies in the links") &&
                                         Contains("the tiling would explain 180 %, but that is noise"));
  // The table has the largest first, which is why the verdict says so.
  const std::string table = difference_report(difference, JitterOptions{}).text();
  CHECK(table.find("\ntiling ") < table.find("\nlinks "));
}

TEST_CASE("Compare: keys that follow the machine's workers are no causes beside it", "[compare]") {
  RunDifference difference;
  difference.counterfactuals.a = {std::chrono::milliseconds(11)};
  difference.counterfactuals.b = {std::chrono::milliseconds(12)};
  difference.counterfactuals.parts.push_back(
      {"number of workers",
       {{"hardware.workers.cube.count", "24", "20"}, {"workers.aic", "24", "20"}, {"cut.shares", "24", "20"}},
       difference.counterfactuals.a,
       {}});
  CHECK_THAT(conclusion(difference), Contains("(hardware.workers.cube.count is 24 in A, 20 in B)."));
  difference.counterfactuals.parts[0].differences[2].b = "40";  // it follows no longer
  CHECK_THAT(conclusion(difference), Contains("20 in B, and 1 more)."));
}

TEST_CASE("Compare: of different models and passes none is called faster", "[compare]") {
  CHECK_THAT(different_work({{"cut.chunk", "64", "128"}, {"model.hidden", "2048", "4096"}}),
             Contains("A and B do different work (model.hidden is 2048 in A, 4096 in B)"));
  CHECK_THAT(different_work({{"experiment.pass", "forward", "backward"}}), Contains("different work"));
  CHECK(different_work({{"parallel.ep", "4", "8"}, {"routing.kind", "balanced", "sampled"}}).empty());
  RunDifference difference;
  difference.counterfactuals.a = {std::chrono::milliseconds(11)};
  difference.counterfactuals.b = {std::chrono::milliseconds(12)};
  difference.counterfactuals.parts.push_back(
      {"workload", {{"model.hidden", "1", "2"}}, difference.counterfactuals.a, {}});
  CHECK_THAT(difference_report(difference, JitterOptions{}).text(),
             Contains("different work") && !Contains("times faster"));
  difference.counterfactuals.parts[0].differences[0].path = "routing.kind";
  CHECK_THAT(difference_report(difference, JitterOptions{}).text(),
             Contains("times faster") && !Contains("different work"));
}

TEST_CASE("shares that follow the number of cubes are no cause of their own, and others are") {
  const TwoRuns follow({"workers.aic=5"}, {}), own({"workers.aic=5", "cut.shares=7"}, {});
  const RunDifference one = follow.difference(), two = own.difference();
  REQUIRE(one.counterfactuals.parts.size() == 1);
  CHECK(one.counterfactuals.parts[0].part == "number of workers");
  CHECK(one.counterfactuals.parts[0].totals == Latencies{one.total[0]});
  CHECK(two.counterfactuals.parts.size() == 2);
}

TEST_CASE("before anything has run again, what was saved is known, and then part by part") {
  const TwoRuns runs({"hardware.clock=1.6 GHz", "tiling.base_n=32"}, {});
  std::vector<std::string> seen;
  runs.difference([&](const RunDifference& so_far) {
    seen.push_back(difference_report(so_far, JitterOptions::none()).text());
  });
  REQUIRE(seen.size() > 3);
  CHECK_THAT(seen.front(), Contains("latency ms") && !Contains("(B as it is)"));
  CHECK_THAT(seen.back(), Contains("(B as it is)") && Contains("the largest cause lies in the"));
}

TEST_CASE("all parts of a configuration together are the configuration") {
  for (const char* way : {"static", "dynamic", "kernel"}) {
    const Experiment a = small({std::string("experiment.execution=") + way,
                                "experiment.dispatch_servers=2",
                                "experiment.window=full",
                                "model.tokens=80",
                                "routing.kind=sampled",
                                "routing.skew=1",
                                "order.vtq=[stage, expert, chunk, dst]",
                                "cut.task_rows=8",
                                "tiling.base_n=64",
                                "workers.aic=5",
                                "workers.aiv=7",
                                "l2.start=used",
                                "l2.hints.GMM1.read=bypass",
                                "hardware.memory.l2_size=960 KiB",
                                "hardware.memory.hbm_read=100 GB/s",
                                "hardware.memory.hbm_write=90 GB/s",
                                "hardware.clock=900 MHz",
                                "program.vector.tile=4096 B",
                                "hardware.workers.cube.l0c_to_gm=20 B/cycle",
                                "program.tasks.static_task=1 us",
                                "program.tasks.dynamic_task=3 us",
                                "program.launch.alone=1 us",
                                "program.signals.local_visibility=0.5 us",
                                "hardware.fabric.planes.hccs.egress=3 GB/s",
                                "hardware.fabric.put_fence=1 us",
                                "program.collective.fixed=7 us",
                                "program.collective.rate=2 GB/s",
                                "experiment.poll={aiv: 0.3 us}",
                                "ranks.start={1: 30 us}",
                                "ranks.clock={2: 0.5}",
                                std::string("parallel.") + (way[0] == 's' ? "ep=3" : "nodes=2")});
    const TemporaryFolder folder;
    write(folder.path() / "a.yaml", a.resolved);
    write(folder.path() / "b.yaml", small().resolved);
    Diagnostics diagnostics;
    const auto of_a_part = [](std::string_view path) { return part_of(path) < config_parts().size(); };
    const Experiment b = read_experiment(
        Config::load_with_parts(folder.path() / "b.yaml", folder.path() / "a.yaml", of_a_part, diagnostics),
        diagnostics);
    const std::vector<PassResult> of_a = run_experiment(a, false), of_b = run_experiment(b, false);
    REQUIRE(of_a.size() == of_b.size());
    for (std::size_t p = 0; p < of_a.size(); ++p) CHECK(of_a[p].run.makespan == of_b[p].run.makespan);
  }
}

TEST_CASE("runs of different passes are compared one pass at a time") {
  const TemporaryFolder folder;
  save(small(), folder.path() / "a");
  save(small({"experiment.pass=forward"}), folder.path() / "b");
  const SavedRun a = read_run(folder.path() / "a", ""), b = read_run(folder.path() / "b", "");
  CHECK_THROWS_WITH(difference_of(a, b, JitterOptions::none(), 1), Contains("--pass"));
  const SavedRun forward = read_run(folder.path() / "a", "forward");
  const RunDifference difference = difference_of(forward, b, JitterOptions::none(), 1);
  CHECK(difference.total[0] == difference.total[1]);
}

TEST_CASE("every key of the shipped experiments belongs to a part") {
  for (const auto& entry : std::filesystem::directory_iterator(configs_folder() / "experiments")) {
    INFO(entry.path());
    const TemporaryFolder folder;
    write(folder.path() / "empty.yaml", "{}\n");
    write(folder.path() / "it.yaml", load_experiment(entry.path(), {}).resolved);
    for (const ConfigDifference& difference :
         config_differences(folder.path() / "it.yaml", folder.path() / "empty.yaml")) {
      INFO(difference.path);
      CHECK(part_of(difference.path) < config_parts().size());
    }
  }
}

TEST_CASE("a saved configuration runs without the files that it was read from") {
  const TemporaryFolder folder;
  const std::filesystem::path from = folder.path() / "from", saved = folder.path() / "saved";
  std::filesystem::create_directories(from);
  const Experiment plain = small();
  const RoutingCounts counts = routing_of(plain);
  std::string csv, order;
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (std::uint32_t e = 0; e < counts.experts(); ++e)
      csv += std::to_string(counts.at(src, e)) + (e + 1 < counts.experts() ? "," : "\n");
  }
  for (const Pass& pass : plain.passes) {
    const std::string one = export_order(compile_pass(plain, pass, counts).schedule);
    order += order.empty() ? one : one.substr(one.find('\n') + 1);
  }
  write(from / "counts.csv", csv);
  write(from / "order.csv", order);
  const std::string list = (from / "order.csv").string();
  const Experiment experiment =
      small({"routing.kind=file", "routing.file=" + (from / "counts.csv").string(),
             "order={name: listed, ctq_list: " + list + ", vtq_list: " + list + "}"});
  const std::vector<PassResult> first = save(experiment, saved);
  std::filesystem::remove_all(from);
  std::filesystem::rename(saved, folder.path() / "moved");
  const Experiment again = load_experiment(folder.path() / "moved" / "resolved.yaml", {});
  const std::vector<PassResult> second = run_experiment(again, false);
  for (std::size_t p = 0; p < first.size(); ++p) CHECK(second[p].run.makespan == first[p].run.makespan);
}

TEST_CASE("how many workers there are, and of which kind, is one part, whatever they are called") {
  for (const char* key : {"workers.sm", "hardware.workers.sm.count", "hardware.workers.sm.runs",
                          "hardware.workers.cube.count", "hardware.workers.vector.count.value"}) {
    INFO(key);
    CHECK(config_parts()[part_of(key)].name == "number of workers");
  }
  CHECK(config_parts()[part_of("hardware.workers.cube.counts")].name == "compute rates");
  CHECK(config_parts()[part_of("hardware.workers")].name == "compute rates");
}
