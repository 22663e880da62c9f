#include <SQLiteCpp/SQLiteCpp.h>
#include <malloc.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>

#include "sim/core/error.h"
#include "sim/experiment/streams/micro_batches.h"
#include "sim/result/metrics/point_metrics.h"
#include "sim/sweep/database.h"
#include "sim/sweep/sweep.h"
#include "sim/sweep/worker_pool.h"
#include "tests/sweep/small_sweep.h"

namespace a3sim {
namespace {

#ifdef __has_feature
#define A3SIM_HAS(feature) __has_feature(feature)  // Clang's
#else
#define A3SIM_HAS(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || A3SIM_HAS(address_sanitizer)
constexpr bool kSanitized = true;  // its shadow is larger than any limit
#else
constexpr bool kSanitized = false;
#endif

const std::string kCases =
    "    rows: {key: elementwise.rows, values: [64, 128, 256]}\n"
    "    size: {key: hardware.memory.l2_size, values: [3 MiB, 6 MiB]}\n";

// All that a sweep has found, without wall times.
std::string contents(const std::filesystem::path& file) {
  SQLite::Database database(file.string());
  std::string text;
  for (const char* query :
       {"SELECT * FROM sweep", "SELECT * FROM axis", "SELECT * FROM sweep_point", "SELECT * FROM coordinate",
        "SELECT id, status, error, config, version, model FROM point ORDER BY id",
        "SELECT point, pass, name, quote(value), unit FROM metric", "SELECT * FROM file"}) {
    SQLite::Statement statement(database, query);
    while (statement.executeStep()) {
      for (int c = 0; c < statement.getColumnCount(); ++c) text += statement.getColumn(c).getString() + '|';
      text += '\n';
    }
  }
  return text;
}

TEST_CASE("A sweep is the same for one process and for many, and is never computed twice") {
  const SweepFolder folder;
  const SweepPlan plan = planned(folder, sweep_text(kCases));
  const SweepOutcome one = run_sweep(plan, into(folder / "one.db", 1)),
                     three = run_sweep(plan, into(folder / "three.db", 3));
  CHECK(one.done == 6);
  CHECK(three.done == 6);
  const std::string found = contents(folder / "one.db");
  CHECK(found == contents(folder / "three.db"));
  CHECK(found.find("|total|latency|") != std::string::npos);
  const SweepOutcome again = run_sweep(plan, into(folder / "one.db"));
  CHECK(again.known == 6);
  CHECK(again.done == 0);
  CHECK(contents(folder / "one.db") == found);
}

TEST_CASE("Sweeps of one database share their points") {
  const SweepFolder folder;
  run_sweep(planned(folder, sweep_text(kCases), "first.yaml"), into(folder / "s.db"));
  const std::string more =
      "    rows: {key: elementwise.rows, values: [128, 512]}\n"
      "    size: {key: hardware.memory.l2_size, values: [6 MiB, 12 MiB]}\n";
  const SweepOutcome second =
      run_sweep(planned(folder, sweep_text(more), "second.yaml"), into(folder / "s.db"));
  CHECK(second.known == 1);  // 128 rows and 6 MiB
  CHECK(second.done == 3);
  SQLite::Database database((folder / "s.db").string());
  CHECK(database.execAndGet("SELECT count(*) FROM sweep").getInt() == 2);
  CHECK(database.execAndGet("SELECT count(*) FROM point").getInt() == 6 + 3);
}

TEST_CASE("Two positions of one configuration are one point") {
  const SweepFolder folder;
  const SweepPlan plan =
      planned(folder, sweep_text("    rows: {list: {a: {elementwise.rows: 64}, b: {}}}\n"));
  const SweepOutcome outcome = run_sweep(plan, into(folder / "s.db", 2));
  CHECK(plan.positions.size() == 2);
  CHECK(outcome.points == 1);
  CHECK(outcome.done == 1);
}

TEST_CASE("Only the metrics that are asked for are recorded, and more of them later") {
  const SweepFolder folder;
  const auto asked = [&](const std::string& metrics) {
    return run_sweep(planned(folder, sweep_text(kCases, "  metrics: [" + metrics + "]\n")),
                     into(folder / "s.db"));
  };
  CHECK(asked("latency").done == 6);
  CHECK(contents(folder / "s.db").find("|total|bound|") == std::string::npos);
  CHECK(asked("latency, blame.hbm").done == 6);
  CHECK(asked("blame.hbm").known == 6);
  CHECK(asked("latency").known == 6);
}

// The routing needs 96 * 2 rows spread over 12 experts: 16 each.
const std::string kRefused =
    "    rows: {key: bucket.rows, values: [16, 1]}\n"
    "    chunk: {key: cut.chunk, values: [8, 16]}\n";

TEST_CASE("A point that fails is recorded with its error, and the others go on") {
  const SweepFolder folder;
  const SweepPlan plan = planned(folder, small_moe(kRefused));
  SweepOptions options = into(folder / "s.db", 2);
  const SweepOutcome outcome = run_sweep(plan, options);
  CHECK(outcome.done == 2);
  REQUIRE(outcome.failed == 2);
  REQUIRE(outcome.failures.size() == 2);
  CHECK(outcome.failures[0].where == "rows=1, chunk=8");
  CHECK_THAT(outcome.failures[0].error, Catch::Matchers::Contains("1 rows, expected at least 16"));
  CHECK(known_points(folder / "s.db").at(plan.ids[2]).error == outcome.failures[0].error);
  const SweepOutcome again = run_sweep(plan, options);  // not tried again, but not forgotten either
  CHECK(again.known == 4);
  CHECK(again.failures.size() == 2);
  options.retry_failed = true;
  CHECK(run_sweep(plan, options).failed == 2);
}

// Some hundred milliseconds and some ten megabytes each.
const std::string kLarge =
    sweep_text("    clock: {key: hardware.clock, values: [1 GHz, 2 GHz]}\n", "", "ep8", "l2.start: cold");

TEST_CASE("A point that takes too long has failed") {
  const SweepFolder folder;
  SweepOptions options = into(folder / "s.db", 1);
  options.limits.seconds = 0.001;
  const SweepOutcome outcome = run_sweep(planned(folder, kLarge), options);
  REQUIRE(outcome.failed == 2);
  CHECK_THAT(outcome.failures[0].error, Catch::Matchers::Contains("took longer than 0.001 s"));
}

TEST_CASE("A point that runs out of memory has failed") {
  if (kSanitized) return;
  const SweepFolder folder;
  // What other tests have left is not enough for these.
  const SweepPlan plan =
      planned(folder, sweep_text("    clock: {key: hardware.clock, values: [1 GHz, 2 GHz]}\n", "", "ep64",
                                 "experiment.simulate: all"));
  SweepOptions options = into(folder / "s.db", 1);
  options.limits.memory = 1 << 20;
  malloc_trim(0);
  const SweepOutcome outcome = run_sweep(plan, options);
  REQUIRE(outcome.failed == 2);
  CHECK_THAT(outcome.failures[0].error,
             Catch::Matchers::Contains("out of memory: the limit is 0.000977 GiB"));
}

TEST_CASE("Work that hangs, dies or throws fails alone, and its process is replaced") {
  constexpr double kLimit = 0.2;
  const auto work = [](std::uint64_t number) -> std::string {
    if (number == 1) {
      for (;;) pause();
    }
    if (number == 2) raise(SIGKILL);
    if (number == 3) throw std::runtime_error("thrown");
    if (number == 4) throw std::bad_alloc();
    return "answer " + std::to_string(number);
  };
  for (const unsigned workers : {1U, 3U}) {
    WorkerPool pool(workers, work, {.seconds = kLimit});
    std::map<std::uint64_t, WorkDone> done;
    std::uint64_t given = 0;
    constexpr std::uint64_t kPieces = 8;
    pool.run([&](unsigned) { return given < kPieces ? std::optional(given++) : std::nullopt; },
             [&](WorkDone&& piece) { done.emplace(piece.number, std::move(piece)); }, [] {});
    REQUIRE(done.size() == kPieces);
    CHECK(done[1].reply.error == "took longer than 0.2 s");
    CHECK(done[1].seconds >= kLimit);
    CHECK_THAT(done[2].reply.error, Catch::Matchers::Contains("killed by signal 9"));
    CHECK(done[3].reply.error == "thrown");
    CHECK(done[4].reply.error == "out of memory");
    for (const std::uint64_t number : {0, 5, 6, 7}) {
      CHECK(done[number].reply.error.empty());
      CHECK(done[number].reply.answer == "answer " + std::to_string(number));
      CHECK(done[number].reply.memory > 0);
    }
  }
}

TEST_CASE("A plan says what it stands on, and records nothing") {
  const SweepFolder folder;
  const SweepPlan plan = planned(folder, sweep_text(kCases));
  const SweepEstimate before = estimate_sweep(plan, into(folder / "s.db"));
  CHECK(before.points == 6);
  CHECK(before.known == 0);
  CHECK(before.measured == 6);  // two of each taskflow: the first does what they share
  CHECK_FALSE(before.from_database);
  CHECK(before.seconds > 0);
  CHECK(before.memory > 0);
  CHECK_FALSE(std::filesystem::exists(folder / "s.db"));
  run_sweep(plan, into(folder / "s.db"));
  CHECK(estimate_sweep(plan, into(folder / "s.db")).known == 6);
}

TEST_CASE("Points of one taskflow follow one another in a worker, and none waits for another") {
  //                                     0    1    2    3    4    5
  const std::vector<std::string> flows{"a", "b", "a", "b", "a", "a"};
  OrderOfWork order({0, 1, 2, 3, 4, 5}, flows, 3);
  CHECK(order.next(0) == 0);
  CHECK(order.next(1) == 1);
  CHECK(order.next(0) == 2);
  CHECK(order.next(1) == 3);
  CHECK(order.next(2) == 4);  // helps where most is left
  CHECK(order.next(1) == 5);
  for (unsigned worker = 0; worker < 3; ++worker) CHECK_FALSE(order.next(worker));
  OrderOfWork none({}, flows, 1);
  CHECK_FALSE(none.next(0));
}

TEST_CASE("A sweep of methods on streams records what streams have, and knows it again") {
  const SweepFolder folder;
  const SweepPlan plan = planned(
      folder, sweep_text("    method: {key: experiment.method, values: [none, feplb]}\n",
                         "  metrics: [latency, token_straggler, blame.link]\n", "feplb",
                         "experiment.micro_batches: 2, experiment.seeds: 2, network.backend: native"));
  CHECK(run_sweep(plan, into(folder / "s.db")).done == 2);
  CHECK(run_sweep(plan, into(folder / "s.db")).known == 2);
  const Experiment experiment =
      load_experiment(configs_folder() / "experiments/feplb.yaml",
                      std::vector<std::string>{"experiment.micro_batches=2", "network.backend=native"});
  const auto metrics = sampled_means({experiment.work->sample(experiment, 0)}, metric_names());
  const auto latency = [&](const std::string& pass) {
    return std::ranges::find_if(metrics,
                                [&](const SampledMean& metric) {
                                  return metric.mean.name == "latency" && metric.mean.pass == pass;
                                })
        ->mean.value;
  };
  CHECK(latency("total") == Approx(latency("forward") + latency("backward")));
  CHECK_THROWS_WITH(measured(experiment, std::vector<std::string>{"blame.link"}, nullptr),
                    Catch::Contains("it has combine, copied"));
}

}  // namespace
}  // namespace a3sim
