#include "traces/analysis/core_idle.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/traces/made_trace.h"

namespace a3sim {
namespace {

// AIC 0 works 30 of 100, AIC 1 works 70; the AIVs nothing.
Trace two_busy_cores() {
  MadeTrace made(Way::kStatic);
  made.task(MadeTrace::kCubeOp, 0, 0_ps, 0_ps, 30_ps, kNone, 0);
  made.task(MadeTrace::kCubeOp, 1, 0_ps, 10_ps, 60_ps, kNone, 1);
  made.task(MadeTrace::kCubeOp, 1, 60_ps, 80_ps, 100_ps, 0, 2);
  return made.trace();
}

TEST_CASE("a core's time until the latency is busy, idle under every order, or idle that an order may save") {
  const std::vector<CoreIdle> cores = core_idle(two_busy_cores(), 90_ps);
  REQUIRE(cores.size() == 4);
  CHECK(cores[0].busy == 30_ps);
  CHECK(cores[0].forced == 90_ps - 30_ps);
  CHECK(cores[0].avoidable == 100_ps - 90_ps);
  CHECK(cores[1].busy == 50_ps + 20_ps);
  CHECK(cores[1].forced == 90_ps - 70_ps);
  CHECK(cores[3].idle() == 100_ps);
  for (const CoreIdle& core : cores) CHECK(core.busy + core.forced + core.avoidable == 100_ps);
}

TEST_CASE("a core that works beyond the bound is idle only where an order may save it") {
  const std::vector<CoreIdle> cores = core_idle(two_busy_cores(), 50_ps);
  CHECK(cores[1].forced == 0_ps);
  CHECK(cores[1].avoidable == 100_ps - 70_ps);
  CHECK(cores[0].avoidable == 100_ps - 50_ps);
}

TEST_CASE("a report names each kind of core, and the core with most to save") {
  Report report;
  add_core_idle(report, two_busy_cores(), 50_ps);
  const nlohmann::json json = report.json();
  REQUIRE(json.at("cores").size() == 4);
  CHECK(json.at("cores")[1].at("avoidable_idle_ps") == 30);
  CHECK_THAT(report.text(), Catch::Contains("AIC, mean of 2") && Catch::Contains("most: AIC 0 of rank 0"));
}

}  // namespace
}  // namespace a3sim
