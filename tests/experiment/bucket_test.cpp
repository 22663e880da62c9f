#include <catch2/catch.hpp>

#include "sim/experiment/run/run_experiment.h"
#include "sim/network/network.h"
#include "sim/runtime/run.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;
using Catch::Matchers::Contains;

TEST_CASE(
    "one schedule runs under every routing of its bucket, and a routing above it is refused with the "
    "bucket") {
  const Experiment experiment = small({"bucket.rows=96"});
  const Schedule schedule =
      compile_pass(experiment, experiment.passes[0], capacity_of(experiment, routing_of(experiment)))
          .schedule;
  const NetworkBackend& native = Registry<NetworkBackend>::get("native");
  for (const std::string seed : {"1", "2", "3"}) {
    const RoutingCounts counts =
        routing_of(small({"routing.kind=sampled", "routing.skew=1", "routing.seed=" + seed}));
    const RunResult result =
        run_schedule(schedule, counts, experiment.hardware, experiment.program, native, {});
    std::uint64_t sent = 0, expected = 0;
    for (std::uint32_t src = 0; src < kEp; ++src) {
      sent += result.ranks[src].sent;
      for (std::uint32_t e = 0; e < kEp * kExpertsPerRank; ++e) {
        if (e / kExpertsPerRank != src) expected += 2 * counts.at(src, e) * kHidden * kElement;
      }
    }
    CHECK(sent == expected);
  }
  RoutingCounts too_many = routing_of(experiment);
  too_many.at(1, 2) = 97;
  try {
    run_schedule(schedule, too_many, experiment.hardware, experiment.program, native, {});
    FAIL("97 rows do not fit");
  } catch (const InputError& error) {
    CHECK_THAT(error.what(), Contains("97"));
  }
}

TEST_CASE("a bucket with room to spare costs only its empty puts") {
  const Experiment tight = small(), roomy = small({"bucket.rows=96"});
  const std::vector<PassResult> a = run_experiment(tight, true), b = run_experiment(roomy, true);
  for (std::size_t p = 0; p < a.size(); ++p) {
    for (std::size_t r = 0; r < kEp; ++r) {
      CHECK(a[p].run.ranks[r].sent == b[p].run.ranks[r].sent);
      for (const TaskRecord& record : b[p].run.ranks[r].records) CHECK(record.ideal < 1_us * 1000);
    }
    CHECK(b[p].run.makespan >= a[p].run.makespan);
    CHECK(b[p].run.makespan < 2 * a[p].run.makespan + 100_us);
  }
}

TEST_CASE("a bucket that is too small is refused at its place, with the rows that it needs") {
  try {
    run_experiment(small({"bucket.rows=3"}), false);
    FAIL("3 rows are not enough");
  } catch (const InputError& error) {
    CHECK_THAT(error.what(), Contains("bucket.rows") && Contains("16"));
  }
}

TEST_CASE("experts without rows, and ranks without any, run") {
  RoutingCounts counts(kEp, kEp * kExpertsPerRank);
  counts.at(0, 7) = 40;  // all that is sent
  const Experiment experiment = small();
  for (const Pass& pass : experiment.passes) {
    const Schedule schedule = compile_pass(experiment, pass, counts).schedule;
    const RunResult result = run_schedule(schedule, counts, experiment.hardware, experiment.program,
                                          Registry<NetworkBackend>::get("native"), {});
    CHECK(result.makespan > Duration::zero());
    CHECK(result.ranks[0].sent == 40 * kHidden * kElement);
  }
}
