#include <catch2/catch.hpp>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/result/metrics/point_metrics.h"
#include "sim/result/report.h"
#include "tests/experiment/saved.h"
#include "traces/trace_csv.h"

namespace a3sim {
namespace {

Experiment small_with(std::vector<std::string> more) {
  std::vector<std::string> set{"model.tokens=96",  "model.hidden=256",         "model.intermediate=128",
                               "model.top_k=2",    "model.experts_per_rank=3", "cut.chunk=16",
                               "cut.task_rows=16", "routing.kind=sampled"};
  set.insert(set.end(), more.begin(), more.end());
  return load_experiment(configs_folder() / "experiments" / "ep4.yaml", set);
}

// Everything that a run says, task by task.
std::string all_of(const Experiment& experiment, std::span<const PassResult> passes) {
  const RunSummary summary = run_summary(experiment, Compiled{}, passes);
  std::string text = summary.text + summary.json.dump();
  for (const PassResult& pass : passes) text += tasks_csv(trace_of(experiment, pass));
  return text;
}

TEST_CASE("A run on shared schedules is byte by byte the run on its own") {
  CompileCache shared;
  std::size_t compiled = 0;
  const auto check = [&](const std::vector<std::string>& set, bool anew) {
    const Experiment experiment = small_with(set);
    INFO(set.back());
    CHECK(all_of(experiment,
                 run_compiled(experiment, shared.compile(experiment), true, backend_of(experiment))) ==
          all_of(experiment, run_experiment(experiment, true)));
    compiled += anew ? 1 : 0;
    CHECK(shared.compilations() == compiled);
  };
  check({"l2.policy=lru"}, true);
  check({"l2.policy=fifo"}, false);
  check({"hardware.memory.l2_size=3 MiB"}, false);
  check({"hardware.fabric.planes.hccs.egress=20 GB/s"}, false);
  check({"hardware.workers.cube.gm_to_l1=50 B/cycle"}, false);
  check({"experiment.execution=dynamic"}, false);
  check({"experiment.poll.aic=1 us"}, false);
  check({"ranks.clock.1=0.5"}, false);
  check({"network.backend=native"}, false);
  check({"parallel.tp_stride=1"}, false);
  check({"hardware.clock=1 GHz"}, true);  // what longest paths weigh
  check({"experiment.execution=kernel"}, true);
  check({"order.ctq=[stage, op, expert, row, tile]"}, true);
  check({"cut.shares=5"}, true);
  check({"workers.aiv=20"}, true);
  check({"routing.seed=2"}, true);
  check({"experiment.window=full"}, true);
  check({"model.hidden=512"}, true);
  check({"bucket.rows=64", "routing.seed=1"}, true);
  check({"bucket.rows=64", "routing.seed=2"}, false);  // one schedule for all routings of a bucket
  check({"experiment.pass=forward"}, true);
}

TEST_CASE("Passes beside one another are byte by byte what they are one after the other") {
  for (const std::string set : {"l2.policy=lru", "routing.kind=balanced", "experiment.execution=dynamic",
                                "experiment.execution=kernel", "network.backend=simgrid"}) {
    INFO(set);
    const Experiment experiment = small_with({set});
    CHECK(all_of(experiment,
                 run_compiled(experiment, compile_all(experiment, 2), true, backend_of(experiment), 2)) ==
          all_of(experiment, run_experiment(experiment, true)));
  }
}

TEST_CASE("What is wrong with the first pass is said, however many are compiled at a time") {
  const auto error = [](unsigned threads) -> std::string {
    Experiment experiment = small_with({"l2.policy=lru"});
    experiment.order.keys[0] = {"nothing"};
    try {
      compile_all(experiment, threads);
    } catch (const InputError& wrong) {
      return wrong.what();
    }
    return "";
  };
  CHECK(!error(1).empty());
  CHECK(error(2) == error(1));
}

SavedRun saved_and_read(const Experiment& experiment, std::span<const PassResult> passes) {
  const TemporaryFolder folder;
  write_run(experiment, passes, folder.path());
  return read_run(folder.path(), "");
}

TEST_CASE("A trace from a run is the one that is read back from its files") {
  const Experiment experiment = small_with({});
  const std::vector<PassResult> passes = run_experiment(experiment, true);
  const std::vector<Trace> traces = traces_of(experiment, passes);
  REQUIRE(traces.size() == 2);
  const SavedRun saved = saved_and_read(experiment, passes);
  for (std::size_t p = 0; p < traces.size(); ++p) {
    const Trace& read = saved.passes[p].trace;
    CHECK(read.ranks == traces[p].ranks);
    CHECK(read.makespan == traces[p].makespan);
    CHECK(read.machine == traces[p].machine);
    CHECK(read.operators == traces[p].operators);
    CHECK(read.starts == traces[p].starts);
  }
}

TEST_CASE("Metrics of passes sum to the total, and blame sums to the latency") {
  const Experiment experiment = small_with({});
  const std::vector<PassResult> passes = run_experiment(experiment, true);
  std::map<std::pair<std::string, std::string>, double> value;
  std::map<std::string, Duration> blamed;
  const auto ps = [](double ms) { return Duration(std::llround(ms * 1e9)); };
  for (const PointMetric& m : metrics_of(outcomes_of(experiment, passes, Record::kTrace), metric_names())) {
    CHECK(value.emplace(std::pair(m.pass, m.name), m.value).second);
    if (m.name.starts_with("blame.")) blamed[m.pass] += ps(m.value);
  }
  for (const std::string pass : {"forward", "backward", "total"})
    CHECK(blamed[pass] == ps(value[{pass, "latency"}]));
  for (const std::string name : {"latency", "bound", "sent", "tasks", "hidden", "completion_skew"}) {
    CHECK(value[{"forward", name}] + value[{"backward", name}] == Approx(value[{"total", name}]));
    CHECK(value[{"forward", name}] > 0);
  }
  CHECK(ps(value[{"forward", "latency"}]) == passes[0].run.makespan);
  const double efficiency = value[{"total", "efficiency"}];
  CHECK((efficiency > 0 && efficiency <= 100));
  const std::vector<std::string> names = metric_names();
  CHECK(value.size() == 3 * metrics_had(experiment, names).size());
  CHECK(std::ssize(value) < 3 * std::ssize(names));
}

}  // namespace
}  // namespace a3sim
