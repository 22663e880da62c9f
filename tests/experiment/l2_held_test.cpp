#include "sim/runtime/l2_held.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "sim/experiment/run/run_experiment.h"
#include "sim/result/l2_section.h"
#include "sim/result/traced_passes.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;

namespace {

constexpr std::uint32_t kRank = 1, kSamples = 50;

struct Looked {
  RunResult run;
  L2Held held;
};

// Runs the first pass with and without looks at the L2 of a rank.
Looked look(const Experiment& experiment) {
  const Compiled compiled = compile_all(experiment);
  const Schedule& schedule = compiled.passes[0].schedule;
  const NetworkBackend& native = Registry<NetworkBackend>::get("native");
  const RunOptions options = options_of(experiment, false);
  Looked looked{
      run_schedule(schedule, compiled.counts, experiment.hardware, experiment.program, native, options), {}};
  looked.held = run_for_l2(schedule, compiled.counts, experiment.hardware, experiment.program, native,
                           options, kRank, looked.run.makespan, kSamples);
  return looked;
}

std::uint64_t sum(const std::vector<std::uint64_t>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

}  // namespace

TEST_CASE(
    "a run in which somebody looks at the L2 takes as long, and all that missed is held while all fits") {
  const auto [run, held] = look(small({}));
  CHECK(held.makespan == run.makespan);
  REQUIRE(held.bytes.size() == kSamples);
  const L2Traffic& traffic = run.ranks[kRank].l2;
  CHECK(sum(held.bytes.back()) == (traffic.read.miss + traffic.write.miss) * kL2Request);
  for (std::uint32_t i = 1; i < kSamples; ++i) {
    for (std::size_t tensor = 0; tensor < held.bytes[i].size(); ++tensor)
      CHECK(held.bytes[i][tensor] >= held.bytes[i - 1][tensor]);
  }
  CHECK(sum(held.bytes.front()) < sum(held.bytes.back()));
}

TEST_CASE("an L2 that is too small for a pass is full in it, and holds no more at any time") {
  const Experiment all = small({});
  const std::uint64_t needed = sum(look(all).held.bytes.back());
  constexpr std::int64_t kWays = 24 * kL2Line;
  const std::int64_t size = static_cast<std::int64_t>(needed) / 2 / kWays * kWays;
  const auto [run, held] = look(small({"hardware.memory.l2_size=" + std::to_string(size) + " B"}));
  CHECK(held.makespan == run.makespan);
  std::uint64_t most = 0;
  for (const std::vector<std::uint64_t>& bytes : held.bytes) most = std::max(most, sum(bytes));
  CHECK(most <= static_cast<std::uint64_t>(size));
  CHECK(most > static_cast<std::uint64_t>(size) * 9 / 10);
}

TEST_CASE("the figure of an L2 over time stacks all that it holds, for runs that the trace is of") {
  const Experiment experiment = small({});
  const auto work = experiment.work->prepare(experiment, 1);
  std::vector<TracedPass> passes = traced_passes(experiment, 1);
  const auto figure = l2_over_time("small, forward", experiment, *work, 0, passes[0].trace);
  REQUIRE(figure);
  double last = 0;
  for (const FigureSeries& series : figure->series)
    if (series.kind == FigureKind::kLine) last += series.points.back().y;
  std::uint32_t ends_last = 0;
  Duration end{};
  for (std::uint32_t rank = 0; rank < passes[0].trace.ranks.size(); ++rank) {
    for (const TraceTask& task : passes[0].trace.ranks[rank]) {
      if (task.visible <= end) continue;
      end = task.visible;
      ends_last = rank;
    }
  }
  const std::vector<PassResult> results = run_experiment(experiment, false);
  const L2Traffic& traffic = results[0].run.ranks[ends_last].l2;
  CHECK(last * (1 << 20) == Approx((traffic.read.miss + traffic.write.miss) * kL2Request));
  passes[0].trace.makespan += Duration(1);
  CHECK_FALSE(l2_over_time("another a3sim's", experiment, *work, 0, passes[0].trace));
  const Experiment lines = small({"l2.mode=lines"});
  CHECK_FALSE(
      l2_over_time("lines", lines, *lines.work->prepare(lines, 1), 0, traced_passes(lines, 1)[0].trace));
}
