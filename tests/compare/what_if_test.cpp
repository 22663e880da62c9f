#include "sim/compare/runs/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/compiled.h"
#include "sim/experiment/run/run_experiment.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

constexpr double kTenPercent = 1.1;
const JitterOptions kOneJitter = JitterOptions::none();
constexpr std::uint32_t kExtraAic = 27;  // 26.4, rounded up

const WhatIf::Row& row_of(const WhatIf& result, std::string_view part) {
  return *std::ranges::find(result.rows, part, [](const WhatIf::Row& row) { return row.part->name; });
}

Duration total_of(const Experiment& experiment) {
  Duration total{};
  for (const PassResult& pass : run_experiment(experiment, false)) total += pass.run.makespan;
  return total;
}

Experiment experiment_with(const Experiment& experiment, std::string_view part,
                           const Improvement& improvement) {
  return improved(experiment, machine_part(part), improvement);
}

Experiment elementwise(const std::string& op) {
  return load_experiment(configs_folder() / "experiments" / "elementwise.yaml",
                         std::vector<std::string>{"elementwise.operator=" + op, "elementwise.rows=512"});
}

}  // namespace

TEST_CASE("10 % better is what a configuration with these values gives") {
  const WhatIf result = what_if(small(), kOneJitter, 2);
  const std::map<std::string, std::vector<std::string>> stated{
      {"HBM", {"hardware.memory.hbm_read=1696.2 GB/s", "hardware.memory.hbm_write=935 GB/s"}},
      {"L2 reads", {"hardware.memory.l2_read=6556 GB/s", "hardware.memory.l2_line_read=4136 GB/s"}},
      {"L2 writes", {"hardware.memory.l2_write=4202 GB/s"}},
      {"link ports",
       {"hardware.fabric.planes.hccs.egress=151.8 GB/s", "hardware.fabric.planes.hccs.ingress=151.8 GB/s"}},
      {"put rate of a worker", {"hardware.fabric.put_per_worker=15.4 GB/s"}},
      {"loads to L1, misses", {"hardware.workers.cube.gm_to_l1_miss=45.672 B/cycle"}},
      {"stores from L0C", {"hardware.workers.cube.l0c_to_gm=44.66 B/cycle"}},
      {"loads to L0",
       {"hardware.workers.cube.l1_to_l0a=281.6 B/cycle", "hardware.workers.cube.l1_to_l0b=140.8 B/cycle"}},
      {"vector loads, misses", {"hardware.workers.vector.gm_to_ub_miss=26.4 B/cycle"}},
      {"vector stores", {"hardware.workers.vector.ub_to_gm=70.4 B/cycle"}},
      {"AIC", {"hardware.workers.cube.count=27"}},
      {"AIV", {"hardware.workers.vector.count=53", "workers.aiv=27"}},
      {"clock of the cores", {"hardware.clock=2035 MHz"}}};
  for (const auto& [part, set] : stated) {
    INFO(part);
    CHECK(row_of(result, part).better.total() == total_of(small(set)));
  }
}

TEST_CASE("free is what a configuration without these times gives") {
  const WhatIf result = what_if(small(), kOneJitter, 2);
  const std::map<std::string, std::vector<std::string>> stated{
      {"task overhead, static", {"program.tasks.static_task=0 us"}},
      {"visibility of counters", {"program.signals.local_visibility=0 us"}},
      {"kernel launch", {"program.launch.alone=0 us", "program.launch.queued=0 us"}},
      {"link latency, start and fence of a put",
       {"hardware.fabric.levels.node.latency=0 us", "hardware.fabric.put_startup=0 us",
        "hardware.fabric.put_fence=0 us"}},
      {"host collective, fixed", {"program.collective.fixed=0 us"}}};
  for (const auto& [part, set] : stated) {
    INFO(part);
    CHECK(row_of(result, part).free->total() == total_of(small(set)));
  }
  CHECK(row_of(result, "host collective, fixed").free->total() == result.now.total());  // of kernels alone
}

TEST_CASE("a part that a way of running does not use changes none of its runs") {
  std::size_t unused = 0;
  for (const std::string kind : {"static", "dynamic", "kernel"}) {
    const Experiment experiment = small({"experiment.execution=" + kind});
    const Duration total = total_of(experiment);
    for (const MachinePart& part : machine_parts()) {
      if (part.matters_to(options_of(experiment, false))) continue;
      INFO(part.name << " " << kind);
      CHECK(total_of(experiment_with(experiment, part.name, {kTenPercent})) == total);
      CHECK(total_of(experiment_with(experiment, part.name, Improvement::to_free(1))) == total);
      ++unused;
    }
  }
  CHECK(unused > 0);
}

TEST_CASE("each bound falls as the part that it is made of gets better, and to nothing if that is free") {
  const WhatIf result = what_if(small(), kOneJitter, 2);
  const std::map<std::string_view, Bound> made_of{
      {"cube arithmetic", Bound::kCube}, {"HBM", Bound::kHbm}, {"link ports", Bound::kLink}};
  for (const auto& [part, bound] : made_of) {
    INFO(part);
    const WhatIf::Row& row = row_of(result, part);
    const auto b = static_cast<std::size_t>(bound);
    const double now = seconds(result.now.bounds[b]);
    CHECK(seconds(row.better.bounds[b]) == Approx(now / kTenPercent).epsilon(1e-3));
    CHECK(seconds(row.free->bounds[b]) < 1e-4 * now);
    for (std::size_t other = 0; other < kBounds - 1; ++other) {  // the path is made of all
      if (other != b) CHECK(row.better.bounds[other] == result.now.bounds[other]);
    }
  }
}

TEST_CASE("a machine whose L2 holds everything writes nothing back") {
  for (const std::string mode : {"pieces", "lines"}) {
    Experiment experiment = small({"l2.mode=" + mode, "hardware.memory.l2_size=1536 KiB"});
    const Compiled compiled = compile_all(experiment);
    const auto written = [&](const Experiment& experiment) {
      return run_pass(experiment, compiled, 1, options_of(experiment, false)).ranks.front().l2.hbm_write;
    };
    CHECK(written(experiment) > 0);
    CHECK(written(experiment_with(experiment, "L2 size", Improvement::to_free(1 << 28))) == 0);
  }
}

TEST_CASE("whatever is free, in whichever way of running, a run ends, and takes time", "[slow]") {
  std::vector<Experiment> experiments{elementwise("Load"), elementwise("Copy")};
  for (const std::string execution : {"static", "dynamic", "kernel"})
    experiments.push_back(small({"experiment.execution=" + execution, "experiment.pass=forward"}));
  experiments.push_back(small({"l2.mode=lines", "l2.start=used", "experiment.pass=forward"}));
  for (const Experiment& experiment : experiments) {
    for (const WhatIf::Row& row : what_if(experiment, kOneJitter, 2).rows) {
      INFO(experiment.name << " " << experiment.run.execution << " " << row.name);
      CHECK(row.better.total() > Duration::zero());
      if (row.free) CHECK(row.free->total() > Duration::zero());
    }
  }
}

TEST_CASE("more workers are whole ones, and products are cut for them where they were") {
  const WhatIf result = what_if(small(), kOneJitter, 2);
  const WhatIf::Row& row = row_of(result, "AIC");
  CHECK(row.name == "AIC, 27 instead of 24 (+12 %)");
  CHECK_FALSE(row.free);
  const Experiment fewer = small({"workers.aic=20", "cut.shares=7"});
  Experiment more = fewer;
  more.hardware.workers.kind(CoreUnit::kMatrix).count = kExtraAic;
  more.workers[0].count = 23;  // of 27 as many as 20 of 24: 22.5, rounded
  CHECK(row_of(what_if(fewer, kOneJitter, 2), "AIC").better.total() == total_of(more));
}

TEST_CASE("what gains most comes first, for any number of threads") {
  const Experiment experiment = small();
  const WhatIf result = what_if(experiment, kOneJitter, 1);
  CHECK(what_if_report(experiment, result, kOneJitter).json() ==
        what_if_report(experiment, what_if(experiment, kOneJitter, 3), kOneJitter).json());
  for (std::size_t i = 1; i < result.rows.size(); ++i)
    CHECK(result.rows[i - 1].better.total() <= result.rows[i].better.total());
  CHECK(result.now.total() == total_of(experiment));
}

TEST_CASE("programs find under each key what it says, of tasks, streams and training steps") {
  const auto experiments = configs_folder() / "experiments";
  const std::vector<Experiment> all = {
      small(),
      load_experiment(experiments / "feplb.yaml",
                      std::vector<std::string>{"experiment.micro_batches=1", "network.backend=native"}),
      load_experiment(experiments / "step_qwen3_8b.yaml", std::vector<std::string>{"step.global_batch=16"})};
  for (const Experiment& experiment : all) {
    INFO(experiment.name);
    const WhatIf result = what_if(experiment, kOneJitter, 2);
    const nlohmann::ordered_json json = what_if_report(experiment, result, kOneJitter).json();
    REQUIRE(json["parts"].size() == result.rows.size());
    for (std::size_t i = 0; i < result.rows.size(); ++i) {
      const WhatIf::Row& row = result.rows[i];
      const nlohmann::ordered_json& told = json["parts"][i];
      INFO(row.name);
      CHECK(told["better"]["total_ps"] == row.better.total().count());
      CHECK(told["gain_10_percent"].get<double>() == Approx(result.gain(row.better).median));
      std::int64_t sum = 0;
      for (const auto& [pass, time] : told["better"]["passes_ps"].items()) sum += time.get<std::int64_t>();
      CHECK(sum == row.better.total().count());
      CHECK(told["gain_free"].is_null() == !row.free);
      if (!row.free) continue;
      CHECK(told["free"]["total_ps"] == row.free->total().count());
      CHECK(told["gain_free"].get<double>() == Approx(result.gain(*row.free).median));
    }
  }
}

TEST_CASE("the last sentence names the part that binds: of a product, the cube; of loads, the HBM") {
  const auto last_line = [](const Experiment& experiment) {
    const std::string text =
        what_if_report(experiment, what_if(experiment, kOneJitter, 2), kOneJitter).text();
    return text.substr(text.rfind('\n', text.size() - 2) + 1);
  };
  const Experiment product = load_experiment(
      configs_folder() / "experiments" / "gemm.yaml",
      std::vector<std::string>{"graph.sizes.m=2048", "graph.sizes.n=2048", "graph.sizes.k=2048",
                               "hardware.workers.cube.macs_16=256 MAC/cycle"});
  CHECK_THAT(last_line(product), Contains("Limited by cube arithmetic"));
  const Experiment loads = load_experiment(
      configs_folder() / "experiments" / "elementwise.yaml",
      std::vector<std::string>{"elementwise.operator=Load", "hardware.memory.hbm_read=100 GB/s"});
  CHECK_THAT(last_line(loads), Contains("Limited by HBM"));
}

TEST_CASE("under jitter a gain is the median of the runs' own gains, and what may be chance does not bind") {
  const Experiment experiment = small();
  const JitterOptions jitter{7, 1, 0.05, 0.02};
  const WhatIf result = what_if(experiment, jitter, 2);
  const WhatIf::Row& hbm = row_of(result, "HBM");
  REQUIRE(result.now.totals.size() == 7);
  std::vector<double> gains;
  for (std::size_t run = 0; run < 7; ++run)
    gains.push_back(1 - seconds(hbm.better.totals[run]) / seconds(result.now.totals[run]));
  std::ranges::sort(gains);
  CHECK(result.gain(hbm.better).median == Approx(gains[3]));
  CHECK(result.gain(hbm.better).low == Approx(gains[0]));
  CHECK(result.gain(hbm.better).high == Approx(gains[6]));
  // The clock drives all cores: 10 % of it are told from noise.
  CHECK(result.gain(row_of(result, "clock of the cores").better).clear());
  const nlohmann::ordered_json json = what_if_report(experiment, result, jitter).json();
  CHECK(json["jitter"]["runs"] == 7);
  for (const nlohmann::ordered_json& part : json["parts"])
    CHECK(part["gain_10_percent_low"].get<double>() <= part["gain_10_percent"].get<double>());
}

TEST_CASE(
    "after each run what is known is what fewer runs come to, and the last sentence says why rows above are "
    "not named") {
  const Experiment experiment = small();
  const JitterOptions six{6, 1, 0.05, 0.02};
  std::vector<WhatIf> seen;
  const WhatIf all = what_if(experiment, six, 2, [&](const WhatIf& so_far, std::uint32_t runs) {
    CHECK(runs == seen.size() + 1);
    seen.push_back(so_far);
  });
  REQUIRE(seen.size() == 5);
  for (std::size_t run = 0; run < seen.size(); ++run) {
    REQUIRE(seen[run].now.totals.size() == run + 1);
    CHECK(std::equal(seen[run].now.totals.begin(), seen[run].now.totals.end(), all.now.totals.begin()));
    CHECK(row_of(seen[run], "HBM").better.totals.size() == run + 1);
  }
  const std::string text = what_if_report(experiment, all, six).text();
  for (const WhatIf::Row& row : all.rows) {
    const bool whole = row.part->kind != MachinePart::Kind::kSingle;
    if (row.part->kind == MachinePart::Kind::kSingle && all.gain(row.better).clear()) break;
    CHECK_THAT(text,
               Contains(row.name + (whole && all.gain(row.better).clear() ? " (" : " (its gain is noise")));
  }
}

TEST_CASE("a part whose gain lies inside the noise is marked, and is not what binds") {
  WhatIf result;
  const auto outcome = [](std::vector<std::int64_t> totals) {
    WhatIf::Outcome outcome;
    for (const std::int64_t total : totals) outcome.totals.emplace_back(total * 1'000'000);
    outcome.passes = {outcome.totals};
    return outcome;
  };
  result.now = outcome({1000, 1000, 1000, 1000, 1000, 1000});
  // The larger median gain is chance: one of six runs lost.
  result.rows.push_back(
      {&machine_part("L2 reads"), "L2 reads", outcome({940, 950, 945, 930, 1010, 940}), result.now});
  result.rows.push_back({&machine_part("HBM"), "HBM", outcome({980, 985, 990, 980, 975, 985}), result.now});
  const Experiment experiment = small({"experiment.pass=forward"});
  const std::string text = what_if_report(experiment, result, {6, 1, 0.05, 0.02}).text();
  CHECK_THAT(text, Contains("noise") && Contains("Limited by HBM"));
}
