#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scheduler/verify/verify.h"
#include "sim/compare/orders/jitter.h"
#include "sim/compare/orders/order_comparison.h"
#include "sim/compare/runs/what_if.h"
#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/evaluate.h"
#include "sim/experiment/streams/micro_batches.h"
#include "sim/experiment/streams/stream_bounds.h"
#include "sim/experiment/streams/stream_check.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kMethods[] = {"none", "feplb", "faster", "faster_pipe2", "tutel", "triton"};

Experiment stream_layer(const std::string& method, std::vector<std::string> set = {}) {
  set.insert(set.begin(), {"network.backend=native", "experiment.seeds=1", "experiment.micro_batches=1",
                           "model.tokens=1024", "experiment.method=" + method});
  return load_experiment(configs_folder() / "experiments" / "feplb.yaml", set);
}

std::vector<Variant> variant_of(Experiment experiment) {
  std::vector<Variant> variants{{std::move(experiment), nullptr}};
  prepare(variants, 1);
  return variants;
}

StreamProgram two_kernels() {
  StreamProgram program;
  program.ranks = 2;
  program.kinds = {{"SM", 4}};
  program.add({.name = "a", .rank = RankId{0}, .kind = 0, .units = 2, .hold = Duration(5)});
  program.add({.name = "b", .rank = RankId{1}, .after = {0}, .kind = 0, .units = 4, .hold = Duration(5)});
  return program;
}

}  // namespace

TEST_CASE("no run of a layer on streams beats its bounds, whatever its method, draw and machine") {
  for (const char* method : kMethods) {
    for (const char* ep : {"parallel.ep=2", "parallel.ep=8"}) {
      INFO(method << ' ' << ep);
      const std::vector<Variant> variants = variant_of(stream_layer(method, {ep}));
      const Evaluated done = evaluate(variants, {.jitter = JitterOptions::none()}).front();
      for (std::size_t p = 0; p < variants[0].passes(); ++p) {
        const Bounds bounds = variants[0].work->bounds(variants[0].experiment, p);
        const Duration latency = done.passes[p][0].latency;
        for (const Duration bound : bounds.time) CHECK(bound <= latency);
        CHECK(bounds.largest() > latency / 4);  // and they say something
      }
    }
  }
}

TEST_CASE("the chain of a program whose tasks share nothing is what its run takes") {
  Experiment experiment = stream_layer("none", {"parallel.ep=2"});
  StreamPass pass{two_kernels(), {{}, {}}, {}};
  pass.program.tasks[1].wait = Duration(7);
  const Hardware hardware = sustained(experiment.hardware);
  KernelCost cost(hardware, experiment.program, experiment.cut.tiling);
  run_again(pass, experiment, cost);
  const Bounds bounds = stream_bounds(pass, hardware, experiment.run.ranks);
  CHECK(bounds.time[static_cast<std::size_t>(Bound::kPath)] == Duration(5 + 7 + 5));
  CHECK(pass.latency() == Duration(5 + 7 + 5));
  CHECK(bounds.time[static_cast<std::size_t>(Bound::kCube)] == Duration(5));  // all four of rank 1
}

TEST_CASE("a run without jitter is the micro-batch as it is modelled") {
  for (const char* method : {"none", "feplb"}) {
    const Experiment experiment = stream_layer(method);
    const MicroBatchResult modelled = run_micro_batches(experiment, draw_batches(experiment, 0)).front();
    const std::vector<Variant> variants = variant_of(experiment);
    const Evaluated done = evaluate(variants, {.jitter = JitterOptions::none()}).front();
    CHECK(done.passes[0][0].latency == modelled.forward);
    CHECK(done.passes[1][0].latency == modelled.backward);
    const Evaluated drawn = evaluate(variants, {.jitter = {4, 1, 0.05, 0.02}}).front();
    for (const Duration total : drawn.totals()) {
      CHECK(total != done.totals()[0]);
      CHECK(std::abs(static_cast<double>(total.count()) / static_cast<double>(done.totals()[0].count()) - 1) <
            0.07);
    }
    CHECK(evaluate(variants, {.jitter = {4, 1, 0.05, 0.02}, .threads = 3}).front().totals() ==
          drawn.totals());
  }
}

TEST_CASE("a task that takes twice as long on streams ends twice as late, and one that is held up later") {
  struct Slow final : TaskHooks {
    double slowness(RankId, std::uint32_t) override { return 2; }
  } slow;
  struct Late final : TaskHooks {
    Duration delay(RankId, std::uint32_t task, Time) override { return Duration(task == 1 ? 11 : 0); }
  } late;
  const Experiment experiment = stream_layer("none", {"parallel.ep=2"});
  const Hardware hardware = sustained(experiment.hardware);
  KernelCost cost(hardware, experiment.program, experiment.cut.tiling);
  StreamPass pass{two_kernels(), {{}, {}}, {}};
  run_again(pass, experiment, cost, &slow);
  CHECK(pass.latency() == Duration(20));
  run_again(pass, experiment, cost, &late);
  CHECK(pass.latency() == Duration(21));
}

TEST_CASE("a micro-batch that exceeds its limit stops, and tasks behind its outputs stop nothing") {
  const std::vector<Variant> variants = variant_of(stream_layer("feplb"));
  const Latencies full = evaluate(variants, {.jitter = JitterOptions::none()}).front().totals();
  CHECK_FALSE(evaluate(variants, {.jitter = JitterOptions::none(), .limits = full}).front().stopped());
  const Evaluated half =
      evaluate(variants, {.jitter = JitterOptions::none(), .limits = {full[0] / 2}}).front();
  CHECK(half.stopped());
}

TEST_CASE("every method's programs are right, and what is wrong with a program is found") {
  for (const char* method : kMethods) {
    INFO(method);
    const Experiment experiment = stream_layer(method);
    std::size_t passes = 0;
    experiment.work->check(experiment, [&](const std::string&, const Findings& findings) {
      ++passes;
      CHECK(findings.errors.empty());
      CHECK(findings.notes.size() == 3);
    });
    CHECK(passes == 2);
  }
  const auto errors = [](auto change) {
    StreamProgram program = two_kernels();
    change(program.tasks[1]);
    return check_program(program).errors;
  };
  CHECK(errors([](StreamTask&) {}).empty());
  CHECK_THAT(errors([](StreamTask& task) { task.after = {1}; }).at(0), Contains("waits for task 1"));
  CHECK_THAT(errors([](StreamTask& task) { task.rank = RankId{2}; }).at(0), Contains("there are 2 ranks"));
  CHECK_THAT(errors([](StreamTask& task) { task.units = 5; }).at(0),
             Contains("needs 5 SM, and a rank has 4"));
  CHECK_THAT(errors([](StreamTask& task) { task.kind = 1; }).at(0), Contains("there are 1 kinds"));
  CHECK_THAT(errors([](StreamTask& task) { task.transfers = {{RankId{1}, {8}, {8}}}; }).at(0),
             Contains("which is no other rank"));
}

TEST_CASE("a row that nobody computes is found") {
  const Experiment experiment = stream_layer("none");
  const Batches batches = draw_batches(experiment, 0);
  const LoadHistory history = history_before(batches);
  const MicroBatch batch(batches.counts.front(), history);
  const Hardware hardware = sustained(experiment.hardware);
  KernelCost cost(hardware, experiment.program, experiment.cut.tiling);
  StreamPass pass = write_stream_pass(experiment, *plan_of(experiment, batch, cost), cost, true);
  CHECK(check_stream_pass(pass, batch).errors.empty());
  for (std::size_t t = 0; t < pass.program.tasks.size(); ++t) {
    if (pass.program.tasks[t].name != KernelName::kGmm1) continue;
    --pass.rows[t].front().rows;
    CHECK(check_stream_pass(pass, batch).errors.size() == 1);
    break;
  }
}

TEST_CASE("jitter and whatif run on streams, and an order of schedules is refused there") {
  const Experiment experiment = stream_layer("none");
  const JitterOptions few{6, 1, 0.05, 0.02};
  const Report drawn = spread_report(experiment, few, 2);
  CHECK(drawn.json()["spread"][0]["order"] == "none");
  CHECK(drawn.json()["each_run"].size() == 6);
  CHECK_THAT(drawn.text(), Contains("streams execution"));
  CHECK_THROWS_AS(try_order(experiment, experiment.order, {few, false, 1}), InputError);
  const WhatIf result = what_if(experiment, JitterOptions::none(), 2);
  const auto row = [&](std::string_view part) {
    return *std::ranges::find_if(result.rows, [&](const WhatIf::Row& row) { return row.part->name == part; });
  };
  CHECK(result.gain(row("clock of the cores").better).median > 0.01);
  CHECK(result.gain(row("dynamic scheduler").better).median == 0);
  CHECK(result.gain(row("cube arithmetic").better).median > 0);  // at the sustained rate of products
}

TEST_CASE(
    "streams take the cables between ports: where none binds they run as before, and slow ones hold them "
    "up") {
  const auto on_cables = [](const std::string& rate) {
    return stream_layer("feplb", {"network.topology.nvlink.kind=full", "network.topology.nvlink.hosts=8",
                                  "network.topology.nvlink.rate=" + rate, "network.routes.nvlink=given"});
  };
  const auto run = [](const Experiment& experiment) {
    const Hardware hardware = sustained(experiment.hardware);
    KernelCost cost(hardware, experiment.program, experiment.cut.tiling);
    const Batches batches = draw_batches(experiment, 0);
    const LoadHistory history = history_before(batches);
    const MicroBatch batch(batches.counts.front(), history);
    return run_stream_pass(experiment, *plan_of(experiment, batch, cost), cost, true);
  };
  const StreamPass ports = run(stream_layer("feplb")), wide = run(on_cables("100 TB/s")),
                   narrow = run(on_cables("2 GB/s"));
  CHECK(wide.latency() == ports.latency());
  CHECK(ports.result.cables.empty());
  REQUIRE(wide.result.cables.size() == 56);
  CHECK(narrow.latency() > 2 * ports.latency());
  // What a cable carries is what the ranks at its ends exchange, and no more than it can.
  double carried = 0, sent = 0;
  for (const CableUse& cable : narrow.result.cables) {
    carried += cable.bytes;
    CHECK(cable.used <= 1 + 1e-9);
  }
  for (const std::uint64_t bytes : narrow.result.sent) sent += static_cast<double>(bytes);
  CHECK(carried >= sent);
}
