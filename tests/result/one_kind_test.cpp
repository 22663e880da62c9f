#include <algorithm>
#include <catch2/catch.hpp>

#include "scheduler/verify/verify.h"
#include "sim/compare/orders/order_comparison.h"
#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run/compiled.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/result/report.h"
#include "tests/experiment/saved.h"
#include "tests/experiment/small_experiment.h"
#include "traces/analysis/explanation.h"
#include "traces/formats/counters.h"
#include "traces/trace_csv.h"

// Experiments on a machine whose workers are one kind, which runs matrix and vector tasks.
namespace a3sim {
namespace {

using Catch::Contains;

// A small MoE-FFN on SMs; `more` are further overrides.
Experiment on_sms(std::vector<std::string> more = {}) {
  const std::string text = "include: ['" + (configs_folder() / "experiments" / "ep4.yaml").string() + "', '" +
                           (configs_folder() / "hardware" / "h100_node.yaml").string() + "', '" +
                           (configs_folder() / "programs" / "cuda.yaml").string() + "']\n";
  std::vector<std::string> set{
      "parallel.ep=4", "model.tokens=96",        "model.hidden=256", "model.top_k=2",
      "cut.chunk=16",  "model.intermediate=128", "cut.task_rows=16", "model.experts_per_rank=3",
      "workers.sm=9"};
  set.insert(set.end(), more.begin(), more.end());
  return parse_experiment(text, "on_sms.yaml", set);
}

// Whether some worker has a task before it has ended the one before.
bool overlaps(const std::vector<TaskRecord>& records, std::uint32_t workers) {
  std::vector<std::vector<std::pair<Time, Time>>> lives(workers);
  for (const TaskRecord& record : records) lives.at(record.worker).push_back({record.taken, record.end});
  return std::ranges::any_of(lives, [](auto& of) {
    std::ranges::sort(of);
    return std::ranges::adjacent_find(of, [](const auto& a, const auto& b) { return b.first < a.second; }) !=
           of.end();
  });
}

const std::vector<std::vector<std::string>> kExecutions = {
    {"experiment.execution=static"},
    {"experiment.execution=static", "order.assignment=shared"},
    {"experiment.execution=static", "experiment.communication=collective"},
    {"experiment.execution=dynamic"},
    {"experiment.execution=kernel"},
    {"experiment.execution=kernel", "experiment.communication=collective"},
    {"experiment.execution=fused"}};

}  // namespace

TEST_CASE("one kind: a worker runs one task at a time, matrix or vector, under every execution") {
  for (const std::vector<std::string>& how : kExecutions) {
    const Experiment experiment = on_sms(how);
    INFO(how.back());
    bool both = false;
    for (const PassResult& pass : run_experiment(experiment, true)) {
      CHECK(verify(pass.schedule).errors == std::vector<std::string>{});
      for (std::size_t r = 0; r < pass.schedule.size(); ++r) {
        const Ssc& ssc = pass.schedule[r];
        const RankResult& rank = pass.run.ranks[r];
        REQUIRE(ssc.kinds() == WorkerKinds({{"SM", 9, {true, true}}}));
        CHECK_FALSE(overlaps(rank.records, ssc.kinds().workers()));
        Duration ran{};
        std::vector<std::array<bool, kCoreUnits>> units(ssc.kinds().workers());
        for (std::size_t t = 0; t < rank.records.size(); ++t) {
          ran += rank.records[t].end - rank.records[t].start;
          const OperatorInfo& op = ssc.operators()[ssc.tasks()[t].op];
          units[rank.records[t].worker][static_cast<std::size_t>(Operators::get(op.type).unit())] = true;
        }
        REQUIRE(rank.busy.size() == 1);
        CHECK(rank.busy[0] == ran);
        both |= std::ranges::any_of(units, [](const auto& of) { return of[0] && of[1]; });
      }
      CHECK(pass.run.makespan >= pass.bounds.largest());
    }
    CHECK(both);  // some worker had tasks of both units
  }
}

TEST_CASE("one kind: what an experiment says of AIC and AIV is passed over, its own name counts") {
  CHECK(on_sms({"workers.aiv=2"}).workers[0].count == 9);
  CHECK(on_sms({"workers.sm={static: 5, kernel: 7}"}).workers[0].count == 5);
  CHECK_THROWS_WITH(on_sms({"workers.sm=133"}), Contains("workers.sm"));
  CHECK_THROWS_WITH(on_sms({"workers.smm=3"}), Contains("workers.smm"));
  CHECK(on_sms({"experiment.poll.sm=3 us"}).run.poll_of(0) == 3_us);
  CHECK(on_sms({"experiment.poll.aiv=3 us"}).run.poll_of(0) == Duration::zero());
  CHECK_THROWS_WITH(small({"workers.sm=3"}), Contains("workers.sm"));
}

TEST_CASE("one kind: reports, traces and saved results have its columns and lanes") {
  const Experiment experiment = on_sms();
  const std::vector<PassResult> passes = run_experiment(experiment, true);
  const RunSummary summary = run_summary(experiment, Compiled{}, passes);
  const std::string& text = summary.text;
  CHECK_THAT(text, Contains("9 SM run tasks") && Contains("SM busy") && !Contains("AIC") && !Contains("AIV"));
  const nlohmann::ordered_json& json = summary.json;
  CHECK(json["workers"] == nlohmann::ordered_json::parse("[9]"));
  CHECK(json["kinds"] == nlohmann::ordered_json::parse(R"([{"name": "SM", "runs": ["matrix", "vector"]}])"));
  CHECK(json["passes"][0]["ranks"][0].contains("sm_busy_ps"));
  CHECK_THAT(tasks_csv(trace_of(experiment, passes[0])),
             Contains(",SMQ,") && !Contains(",CTQ,") && !Contains(",VTQ,"));

  const Trace trace = trace_of(experiment, passes[0]);
  const Explanation explained = explain(trace);
  for (const auto& rank : explained.workers) {
    REQUIRE(rank.size() == 1);
    Duration all{};
    for (const Duration time : rank[0]) all += time;
    CHECK(all == trace.makespan * 9);
  }
  CHECK_THAT(explanation_report("forward", trace, explained, kNone).text(), Contains("\nSM "));
  const Causes causes(trace);
  const std::vector<Counter> counters = counters_of(causes, trace.makespan)[0];
  CHECK(std::ranges::count(counters, "SM running", &Counter::name) == 1);
}

TEST_CASE("one kind: a saved result is read back as it was") {
  const TemporaryFolder folder;
  const Experiment experiment = on_sms();
  const std::vector<PassResult> passes = save(experiment, folder.path());
  const SavedRun run = read_run(folder.path(), "");
  REQUIRE(run.passes.size() == passes.size());
  for (std::size_t p = 0; p < passes.size(); ++p) {
    CHECK(run.passes[p].trace.machine.workers == WorkerKinds({{"SM", 9, {true, true}}}));
    CHECK(run.passes[p].trace.ranks == trace_of(experiment, passes[p]).ranks);
  }
}

TEST_CASE("one kind: orders are compared by its workers' time") {
  const Experiment experiment = on_sms();
  const OrderComparison comparison =
      try_order(experiment, experiment.order, {.jitter = JitterOptions::none(), .conditions = false});
  CHECK(comparison.main_kind() == 0);
  CHECK(comparison.workers == WorkerKinds({{"SM", 36, {true, true}}}));
  CHECK_THAT(order_report(experiment, comparison, JitterOptions::none()).text(), Contains("SM waits ms"));
}

}  // namespace a3sim
