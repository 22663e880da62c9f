#include "sim/diagnosis/observe/trace_observation.h"

#include <catch2/catch.hpp>

#include "sim/diagnosis/jobs/full_records.h"
#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/result/run_observation.h"
#include "tests/experiment/saved.h"
#include "tests/experiment/small_experiment.h"

namespace a3sim {
namespace {

// The same run, watched as a step of a job, and traced.
struct Both {
  explicit Both(std::vector<std::string> more) {
    std::vector<std::string> sets{"parallel.ep=4",          "model.tokens=96", "model.hidden=256",
                                  "model.intermediate=128", "model.top_k=2",   "model.experts_per_rank=3",
                                  "cut.chunk=16",           "cut.task_rows=16"};
    sets.insert(sets.end(), more.begin(), more.end());
    const JobSpec spec = load_job(configs_folder() / "experiments/ep4.yaml", sets, {});
    names = spec.names.operators;
    Job job(spec, 1);
    job.run(1, true, [&](JobStep&& step) {
      std::vector<std::uint32_t> all;
      for (std::uint32_t r = 0; r < spec.experiment.shape.ep; ++r) all.push_back(r);
      full = full_records(step, all, names);
      light = step.light;
    });
    for (const PassResult& pass : run_experiment(spec.experiment, true))
      passes.push_back({pass.name, trace_of(spec.experiment, pass)});
    machine =
        traced_machine(spec.experiment.hardware, &spec.experiment.program, passes.front().trace.machine);
    // A job begins with its hosts, a run when its ranks may.
    begin = std::ranges::min(light, {}, &LightRecord::start).start;
  }

  std::vector<std::string> names;
  FullStep full;
  std::vector<LightRecord> light;
  std::vector<TracedPass> passes;
  TracedMachine machine;
  Duration begin{};
};

// Where routing is even, ranks trigger at the same time, and either is whom another has waited for.
void check_light(const Both& both, const TraceObservation& observation, bool even) {
  observation.each_step([&](std::uint32_t, std::span<const LightRecord> records) {
    REQUIRE(records.size() == both.light.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      const LightRecord &traced = records[i], &watched = both.light[i];
      CAPTURE(watched.rank, watched.pass);
      CHECK(traced.rank == watched.rank);
      CHECK(traced.pass == watched.pass);
      CHECK(traced.start == watched.start - both.begin);
      CHECK(traced.arrival == watched.arrival - both.begin);
      CHECK(traced.release == watched.release - both.begin);
      CHECK(traced.waited == watched.waited);
      CHECK(traced.longest == watched.longest);
      if (!even) CHECK(traced.whom == watched.whom);
      CHECK(traced.operations == watched.operations);
      CHECK(traced.bytes == watched.bytes);
      CHECK(traced.aic_busy == watched.aic_busy);
      CHECK(traced.aiv_busy == watched.aiv_busy);
      CHECK(traced.transfer == watched.transfer);
      CHECK(std::isnan(traced.late));
    }
  });
}

void check_full(const Both& both, const TraceObservation& observation) {
  const FullStep full = observation.full(0);
  REQUIRE(full.operators.size() == both.full.operators.size());
  double l2[2] = {};
  for (std::size_t i = 0; i < full.operators.size(); ++i) {
    const OperatorRecord &traced = full.operators[i], &watched = both.full.operators[i];
    CHECK(observation.names()[traced.op] == both.names[watched.op]);
    CHECK(traced.rank == watched.rank);
    CHECK(traced.lane == watched.lane);
    CHECK(traced.core == watched.core);
    CHECK(traced.start == watched.start - both.begin);
    CHECK(traced.end == watched.end - both.begin);
    CHECK(traced.wait == watched.wait);
    CHECK(traced.run == watched.run);
    CHECK(traced.arithmetic == watched.arithmetic);
    CHECK(traced.operations == watched.operations);
    CHECK(traced.hbm_bytes == watched.hbm_bytes);
    CHECK(traced.sent_bytes == watched.sent_bytes);
    l2[0] += traced.l2_bytes;
    l2[1] += watched.l2_bytes;
  }
  CHECK(l2[0] == Approx(l2[1]));
  REQUIRE(full.transfers.size() == both.full.transfers.size());
  for (std::size_t i = 0; i < full.transfers.size(); ++i) {
    const TransferRecord &traced = full.transfers[i], &watched = both.full.transfers[i];
    CHECK(traced.src == watched.src);
    CHECK(traced.dst == watched.dst);
    CHECK(traced.plane == watched.plane);
    CHECK(traced.start == watched.start - both.begin);
    CHECK(traced.end == watched.end - both.begin);
    CHECK(traced.bytes == watched.bytes);
    CHECK(traced.beside == watched.beside);
    CHECK(traced.lost_sharing == watched.lost_sharing);
  }
  CHECK_FALSE(observation.missing().empty());
}

TEST_CASE("a traced run is observed as a job's step that was watched: the same times and sums") {
  const std::vector<std::string> ways[] = {
      {"experiment.execution=static"},
      {"experiment.execution=dynamic"},
      {"experiment.execution=kernel"},
      {"experiment.execution=static", "experiment.communication=collective"},
      {"routing.kind=sampled", "routing.skew=2"}};
  for (const auto& way : ways) {
    CAPTURE(way);
    const Both both(way);
    const TraceObservation of(both.passes, both.machine);
    check_light(both, of, way.front() != "routing.kind=sampled");
    check_full(both, of);
    Duration path{}, all{};
    for (const PathPart& part : of.critical_path(0)) path += part.time;
    for (const TracedPass& pass : both.passes) all += pass.trace.makespan;
    CHECK(path == all);
  }
}

// The passes of a run of ep4 with fewer tokens.
std::vector<TracedPass> traced(std::vector<std::string> sets) {
  sets.emplace_back("model.tokens=1024");
  const Experiment experiment = load_experiment(configs_folder() / "experiments/ep4.yaml", sets);
  std::vector<TracedPass> passes;
  for (const PassResult& pass : run_experiment(experiment, true))
    passes.push_back({pass.name, trace_of(experiment, pass)});
  return passes;
}

TEST_CASE("where a trace has no rows, operations tell which ranks have more work than others") {
  const std::vector<TracedPass> skewed = traced({"routing.kind=sampled", "routing.skew=2"}),
                                even = traced({});
  const RuleBook rules = read_rules(configs_folder() / "advice");
  const auto imbalance = [&](const std::vector<TracedPass>& passes) {
    const Advice advice = advise(TraceObservation(passes, {}), rules);
    return std::ranges::count(advice.findings, "load.imbalance", &Finding::cause);
  };
  CHECK(imbalance(skewed) == 1);
  CHECK(imbalance(even) == 0);
}

TEST_CASE("what a traced run's records stand for is a task, and its line") {
  const Both both({});
  const TraceObservation of(both.passes, {});
  for (const TransferRecord& put : of.full(0).transfers) {
    const RecordPlace place = of.place_of(put);
    const Trace& trace = both.passes[put.pass].trace;
    REQUIRE(place.task != kNone);
    CHECK(place.rank == put.src);
    CHECK(place.pass == of.passes()[put.pass]);
    CHECK(static_cast<double>(trace.ranks[place.rank][place.task].put_bytes) == put.bytes);
    std::size_t line = 2 + place.task;
    for (std::uint32_t rank = 0; rank < place.rank; ++rank) line += trace.ranks[rank].size();
    CHECK(place.text == tasks_csv_name(place.pass) + ":" + std::to_string(line));
  }
}

TEST_CASE(
    "a run's machine is that of its own configuration or of another hardware file or what its tasks tell") {
  const TemporaryFolder folder;
  save(small(), folder.path());
  const SavedRun run = read_run(folder.path(), "");
  const std::unique_ptr<Observation> own = observe(run, {});
  const std::unique_ptr<Observation> other = observe(run, configs_folder() / "hardware/h100_node.yaml");
  CHECK(own->machine().planes.size() > 1);
  CHECK(other->machine().hbm_read != own->machine().hbm_read);
  CHECK(other->machine().aic == own->machine().aic);
  std::filesystem::remove(run.configuration());
  const std::unique_ptr<Observation> told = observe(run, {});
  REQUIRE(told->machine().planes.size() == 1);
  CHECK(told->machine().hbm_read == own->machine().hbm_read);
  CHECK(told->machine().cube_rate > 0);
  CHECK(told->machine().cube_rate <= own->machine().cube_rate);
}

TEST_CASE(
    "a rank with a low clock is what a traced run loses first, by as much as a run without it is sooner") {
  const std::vector<TracedPass> passes = traced({"ranks.clock={2: 0.8}"}), without = traced({});
  const Advice advice = advise(TraceObservation(passes, {}), read_rules(configs_folder() / "advice"));
  REQUIRE_FALSE(advice.findings.empty());
  CHECK(advice.findings[0].cause == "compute.clock");
  CHECK(advice.findings[0].ranks == std::vector<std::uint32_t>{2});
  double saved = 0;
  for (std::size_t p = 0; p < passes.size(); ++p)
    saved += 1e3 * seconds(passes[p].trace.makespan - without[p].trace.makespan);
  CHECK(advice.findings[0].lost_ms == Approx(saved).epsilon(0.1));
}

}  // namespace
}  // namespace a3sim
