#include "traces/analysis/waterfall.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "tests/traces/made_trace.h"

namespace a3sim {
namespace {

Duration sum(const Waterfall& waterfall) {
  return std::accumulate(waterfall.parts.begin(), waterfall.parts.end(), waterfall.bound,
                         [](Duration so_far, const WaterfallPart& part) { return so_far + part.time; });
}

Duration part(const Waterfall& waterfall, std::string_view name) {
  for (const WaterfallPart& part : waterfall.parts)
    if (part.name == name) return part.time;
  return {};
}

// Two cubes: one multiplies for 600 ps of the pass's 1000, the other for 200.
MadeTrace two_products() {
  MadeTrace made(Way::kStatic);
  made.task(MadeTrace::kCubeOp, 0, 0_ps, 0_ps, 600_ps, kNone, 0).arithmetic = 600_ps;
  made.task(MadeTrace::kCubeOp, 1, 0_ps, 0_ps, 200_ps, kNone, 1).arithmetic = 200_ps;
  return made;
}

TEST_CASE("A waterfall's bound and parts sum to the latency, whatever binds") {
  const std::vector<TracedPass> passes = made_passes();
  const Trace& trace = passes.front().trace;
  const CriticalPath path = critical_path(Causes(trace));
  for (const char* const binding : {"cube", "vector", "HBM", "link", "path", "another", ""}) {
    for (const Duration bound : {0_ps, 1_ps, 777'777_ps, trace.makespan, 2 * trace.makespan}) {
      CAPTURE(binding, bound.count());
      const Waterfall waterfall = waterfall_of(trace, path, bound, binding);
      CHECK(waterfall.latency == trace.makespan);
      CHECK(waterfall.bound == std::min(bound, trace.makespan));
      CHECK(sum(waterfall) == trace.makespan);
      for (const WaterfallPart& part : waterfall.parts) CHECK(part.time > 0_ps);
    }
  }
}

TEST_CASE("Time in which only some cubes multiply is that of cubes that are not all busy") {
  MadeTrace made = two_products();
  constexpr Duration kBound = (600_ps + 200_ps) / 2;
  const Waterfall waterfall = waterfall_of(made.trace(), made.path(), kBound, "cube");
  CHECK(waterfall.limiter == "cube arithmetic");
  CHECK(part(waterfall, "cubes not all busy") == 600_ps - kBound);
  CHECK(waterfall.parts.size() == 1);
}

TEST_CASE("Loads of a product on the path come before cubes that are not all busy") {
  MadeTrace made = two_products();
  made.trace().ranks[0][0].arithmetic = 500_ps;  // the path's product loads for 100 ps
  constexpr Duration kBound = (500_ps + 200_ps) / 2;
  const Waterfall waterfall = waterfall_of(made.trace(), made.path(), kBound, "cube");
  CHECK(part(waterfall, "cores' own loads and starts") == 100_ps);
  CHECK(part(waterfall, "cubes not all busy") == 600_ps - kBound - 100_ps);
}

TEST_CASE("A put that nothing covers is exposed exchange, if cubes bind, and the bound, if its port does") {
  MadeTrace made(Way::kStatic, 2);
  made.put(2, 0_ps, 0_ps, 1000_ps, kNone, 1, 0).put_bytes = 1000;
  made.task(MadeTrace::kCubeOp, 0, 0_ps, 1000_ps + kHopTime, 2000_ps, 0, 1, 1).arithmetic =
      2000_ps - 1000_ps - kHopTime;
  made.trace().ranks[0][0].done = 1000_ps;
  const CriticalPath path = made.path();
  const Duration product = 1000_ps - kHopTime;
  // The other cube has nothing to do: half of the product's time is not the bound's.
  const Waterfall by_cubes = waterfall_of(made.trace(), path, product / 2, "cube");
  CHECK(part(by_cubes, "exposed exchange") == 1000_ps + kHopTime);
  CHECK(part(by_cubes, "cubes not all busy") == product / 2);
  const Waterfall by_port = waterfall_of(made.trace(), path, 1000_ps, "link");
  CHECK(by_port.bound == 1000_ps);
  CHECK(part(by_port, "exposed exchange") == kHopTime);
  CHECK(part(by_port, "matrix products") == product);
}

TEST_CASE("Parts come by size, and those below half a per cent are one") {
  MadeTrace made(Way::kKernel);
  TraceTask& task = made.task(MadeTrace::kCubeOp, 0, 0_ps, 0_ps, 100'000_ps, kNone, 0);
  task.arithmetic = 90'000_ps;
  task.ideal = 99'800_ps;
  task.lost[0] = 100_ps;
  task.lost[2] = 100_ps;
  const Waterfall waterfall = waterfall_of(made.trace(), made.path(), 0_ps, "");
  REQUIRE(waterfall.parts.size() == 3);
  CHECK(waterfall.limiter.empty());
  CHECK(waterfall.parts[0].name == "matrix products");
  CHECK(waterfall.parts[1].name == "cores' own loads and starts");
  CHECK(waterfall.parts[2].name == "the rest");
  CHECK(waterfall.parts[2].time == 200_ps);
}

}  // namespace
}  // namespace a3sim
