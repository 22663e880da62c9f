#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "sim/core/error.h"
#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/result/report.h"
#include "tests/experiment/saved.h"
#include "tests/experiment/small_experiment.h"
#include "traces/analysis/explanation.h"

using namespace a3sim;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

// Each step begins where the one before ends, and is blamed to the picosecond.
void check_path(const Trace& trace, const CriticalPath& path) {
  Duration time{}, blamed{};
  for (const PathSegment& segment : path.segments) {
    CHECK(segment.from == time);
    time = segment.to;
    Duration sum{};
    for (const Duration time : segment.blame) {
      CHECK(time >= Duration::zero());
      sum += time;
    }
    CHECK(sum == segment.to - segment.from);
  }
  CHECK(time == trace.makespan);
  for (const BlameTimes& times : path.blame) {
    for (const Duration time : times) blamed += time;
  }
  CHECK(blamed == trace.makespan);
}

// What is not a task's own time has the length that the hardware gives it, always: no start is left
// unexplained.
void check_waits(const Experiment& experiment, const CriticalPath& path) {
  const Hardware& hardware = experiment.hardware;
  const Program& program = experiment.program;
  const Program::Collective& host = program.collective;
  const Duration task =
      experiment.run.execution == "static" ? program.tasks.static_task : program.tasks.scheduled();
  const std::pair<Blame, Duration> lengths[] = {
      {Blame::kScheduling, experiment.run.execution == "kernel" ? Duration::zero() : task},
      {Blame::kLaunch, program.launch.alone},
      {Blame::kHop, hardware.fabric.level("node")->latency},
      {Blame::kPoll, program.signals.local_visibility},
      {Blame::kCollective, host.fixed + host.per_peer * (experiment.shape.ep - 1)}};
  for (const PathSegment& segment : path.segments) {
    if (segment.ran) continue;
    for (const auto& [blame, length] : lengths) {
      const Duration time = segment.blame[static_cast<std::size_t>(blame)];
      const bool queued = blame == Blame::kLaunch && time == program.launch.queued;
      const bool starts = blame == Blame::kScheduling && experiment.run.execution == "dynamic" &&
                          time == length + program.tasks.dynamic_start;
      CHECK((time == Duration::zero() || time == length || queued || starts));
    }
  }
}

void check_workers(const Trace& trace, const Explanation& explanation) {
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    Duration ran[2] = {}, split[2] = {};
    for (const TraceTask& task : trace.ranks[r]) {
      if (!task.remote) ran[task.worker < trace.machine.workers[0].count ? 0 : 1] += task.end - task.start;
    }
    for (std::size_t kind = 0; kind < 2; ++kind) {
      const WorkerTimes& times = explanation.workers[r][kind];
      for (const Duration time : times) {
        CHECK(time >= Duration::zero());
        split[kind] += time;
      }
      CHECK(split[kind] == trace.makespan * trace.machine.workers[kind].count);
      CHECK(part_of(times, WorkerTime::kRun) + part_of(times, WorkerTime::kMemory) == ran[kind]);
    }
    const Overlap& overlap = explanation.overlaps[r];
    CHECK(overlap.hidden + overlap.exposed <= trace.makespan);
  }
}

// Waiting and idle time are the same in what a run prints, in its JSON, and in its explanation.
void check_waiting(const Experiment& experiment, const PassResult& pass, const Explanation& explanation) {
  const PassResult passes[] = {pass};
  const nlohmann::ordered_json json = run_summary(experiment, Compiled{}, passes).json["passes"][0];
  std::int64_t of_workers = 0, of_operators = 0;
  for (std::size_t r = 0; r < explanation.workers.size(); ++r) {
    const WorkerTimes &aic = explanation.workers[r].at(0), &aiv = explanation.workers[r].at(1);
    const nlohmann::ordered_json& rank = json["ranks"][r];
    CHECK(rank["aic_waited_ps"] == part_of(aic, WorkerTime::kWait).count());
    CHECK(rank["aiv_idle_ps"] == part_of(aiv, WorkerTime::kIdle).count());
    of_workers += (part_of(aic, WorkerTime::kWait) + part_of(aiv, WorkerTime::kWait)).count();
  }
  for (const auto& op : json["operators"]) of_operators += op["waited_ps"].get<std::int64_t>();
  CHECK(of_operators == of_workers);
}

void check_roofs(const Explanation& explanation) {
  for (const Roofline& roof : explanation.roofs) CHECK(roof.achieved <= 1.0001 * roof.roof());
}

void check_explained(const Experiment& experiment) {
  const std::vector<PassResult> passes = run_experiment(experiment, true);
  for (const PassResult& pass : passes) {
    const Trace trace = trace_of(experiment, pass);
    CHECK(trace.makespan == pass.run.makespan);
    const Explanation explanation = explain(trace);
    check_path(trace, explanation.path);
    check_waits(experiment, explanation.path);
    check_workers(trace, explanation);
    check_waiting(experiment, pass, explanation);
    check_roofs(explanation);
    CHECK_THAT(explanation_report("forward", trace, explanation, kNone).text(),
               StartsWith("forward: latency"));
  }
}

}  // namespace

TEST_CASE("every way of running is explained to the picosecond, over group sizes, passes and orders") {
  const std::vector<std::string> ways[] = {
      {"experiment.execution=static"},
      {"experiment.execution=static", "order.assignment=shared"},
      {"experiment.execution=dynamic"},
      {"experiment.execution=dynamic", "experiment.dispatch_servers=3"},
      {"experiment.execution=kernel"},
      {"experiment.execution=kernel", "experiment.communication=one_sided"},
      {"experiment.execution=static", "experiment.communication=collective"}};
  const std::vector<std::string> cases[] = {
      {"parallel.ep=1", "model.experts_per_rank=3"},
      {"parallel.ep=2"},
      {"parallel.ep=3", "routing.kind=sampled", "routing.skew=2"},
      {"parallel.ep=4", "experiment.window=full"},
      {"parallel.ep=4", "order.vtq=[stage, expert, chunk, dst]", "workers.aic=3", "workers.aiv=2"},
      {"parallel.ep=2", "hardware.fabric.planes.hccs.egress=1 GB/s", "hardware.memory.hbm_read=20 GB/s"},
      {"parallel.ep=2", "program.tasks.static_task=0 us", "program.signals.local_visibility=0 us"},
      {"parallel.ep=2", "program.tasks.dynamic_task=0 us", "program.launch.alone=0 us"},
      {"parallel.ep=2", "hardware.memory.l2_size=1536 KiB", "l2.start=used"}};
  for (const auto& way : ways) {
    for (const auto& more : cases) {
      std::vector<std::string> set = way;
      set.insert(set.end(), more.begin(), more.end());
      INFO(way.front() << " " << way.back() << " " << more.front() << " " << more.back());
      check_explained(small(set));
    }
  }
}

TEST_CASE("ranks that start late, slow clocks and workers that look only now and then are explained") {
  for (const char* way : {"static", "dynamic", "kernel"}) {
    const Experiment experiment =
        small({std::string("experiment.execution=") + way, "ranks.start={1: 30 us, 3: 2 us}",
               "ranks.clock={2: 0.5}", "experiment.poll={aic: 3 us, aiv: 0.7 us}"});
    const std::vector<PassResult> passes = run_experiment(experiment, true);
    for (const PassResult& pass : passes) {
      const Trace trace = trace_of(experiment, pass);
      const Explanation explanation = explain(trace);
      check_path(trace, explanation.path);
      check_workers(trace, explanation);
      for (const PathSegment& segment : explanation.path.segments) {
        const Duration scheduled = segment.blame[static_cast<std::size_t>(Blame::kScheduling)];
        CHECK(scheduled <= experiment.program.tasks.scheduled() + experiment.program.tasks.dynamic_start);
      }
    }
  }
}

TEST_CASE("schedules that routing leaves partly empty are explained: experts without rows, puts of nothing") {
  for (const char* way : {"static", "dynamic", "kernel"}) {
    check_explained(small({"routing.kind=sampled", "routing.skew=20", "bucket.rows=96",
                           std::string("experiment.execution=") + way}));
  }
}

TEST_CASE("microbenchmarks are explained") {
  const std::filesystem::path folder = configs_folder() / "experiments";
  const std::string rows[] = {"graph.sizes.rows=2048"};
  check_explained(load_experiment(folder / "swiglu_add.yaml", rows));
  check_explained(load_experiment(folder / "diamond.yaml", {}));
}

TEST_CASE("a saved run is read back whole; what is missing or cut off is named with its place") {
  const TemporaryFolder folder;
  save(small(), folder.path());
  CHECK(read_run(folder.path(), "").passes.size() == 2);
  CHECK(read_run(folder.path(), "backward").passes.size() == 1);
  CHECK_THROWS_WITH(read_run(folder.path(), "sideways"),
                    Contains("no pass 'sideways', only forward, backward"));

  const auto text_of = [&](const char* file) {
    std::ifstream stream(folder.path() / file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const auto refused = [&](const char* file, const std::string& text, const char* why) {
    const std::string whole = text_of(file);
    write(folder.path() / file, text);
    CHECK_THROWS_AS(read_run(folder.path(), ""), InputError);
    CHECK_THROWS_WITH(read_run(folder.path(), ""), Contains(file) && Contains(why));
    write(folder.path() / file, whole);
  };
  const std::string csv = text_of("tasks_forward.csv"), json = text_of("result.json");
  const std::size_t last_line = csv.rfind('\n', csv.size() - 2) + 1;
  refused("tasks_forward.csv", csv.substr(0, last_line), "tasks of rank 3, expected");
  refused("tasks_forward.csv", csv.substr(0, csv.size() - 3), "cut off");
  refused("tasks_forward.csv", "", "empty");
  refused("result.json", json.substr(0, json.size() / 2), "result.json:");
  refused("result.json", "{\n  \"passes\": [1,\n}\n", "result.json:3:1");
  refused("result.json", "{\"schema_version\": 1}\n", "passes: no pass");
  refused("result.json", "{}\n", "schema_version: another than 1");
  refused("result.json", "[]\n", "result.json:1:1: a list, expected a mapping");
  std::string changed = json;
  changed.replace(changed.find("\"kernel_launch_ps\""), 18, "\"kernel_launch_xx\"");
  refused("result.json", changed, "machine.kernel_launch_ps");
  std::filesystem::remove(folder.path() / "tasks_backward.csv");
  CHECK_THROWS_WITH(read_run(folder.path(), ""), Contains("tasks_backward.csv"));
  CHECK(read_run(folder.path(), "forward").passes.size() == 1);
}

TEST_CASE("a run that was saved without its tasks has their sums, and names the command that writes them") {
  const TemporaryFolder folder;
  const Experiment experiment = small();
  save(experiment, folder.path());
  const SavedRun full = read_run(folder.path(), "", Tasks::kIfThere);
  CHECK(full.sums.empty());
  for (const char* pass : {"forward", "backward"})
    std::filesystem::remove(folder.path() / fmt::format("tasks_{}.csv", pass));
  CHECK_THROWS_AS(read_run(folder.path(), ""), InputError);
  CHECK_THROWS_WITH(read_run(folder.path(), ""), Contains("--trace -o " + folder.path().string()));
  const SavedRun light = read_run(folder.path(), "", Tasks::kIfThere);
  REQUIRE(light.sums.size() == 2);
  for (std::size_t p = 0; p < 2; ++p) {
    CHECK(light.passes[p].trace.operators == full.passes[p].trace.operators);
    const Causes causes(full.passes[p].trace);
    const std::vector<OperatorStats> stats = operator_stats(causes);
    for (std::size_t op = 0; op < stats.size(); ++op) {
      const OperatorStats& sum = light.sums[p].operators[op];
      CHECK(sum.tasks == stats[op].tasks);
      CHECK(sum.ran == stats[op].ran);
      CHECK(sum.ideal == stats[op].ideal);
      CHECK(sum.waited == stats[op].waited);
      CHECK(sum.lost == stats[op].lost);
    }
    const auto times = worker_times(causes);
    for (std::size_t rank = 0; rank < times.size(); ++rank) {
      const PassSums::Workers& aiv = light.sums[p].workers[rank][1];
      CHECK(aiv.idle == part_of(times[rank][1], WorkerTime::kIdle));
      CHECK(aiv.waited == part_of(times[rank][1], WorkerTime::kWait));
    }
    const Report report = sums_report("p", light.passes[p].trace, light.sums[p], kNone);
    CHECK_THAT(report.text(), Contains("workers' time, all ranks") && Contains("L2 hits"));
  }
}
