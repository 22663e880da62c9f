#include <catch2/catch.hpp>
#include <numeric>
#include <stdexcept>

#include "sim/core/registry.h"
#include "sim/runtime/streams/stream_run.h"

using namespace a3sim;

namespace {

constexpr std::uint32_t kSm = 0, kEngine = 1, kHost = 2;  // kinds of worker
constexpr std::uint32_t kSms = 8;
constexpr BytesPerSecond kPort{100'000'000'000}, kHbm{1'000'000'000'000};
constexpr Duration kJob = 100_us, kLaunch = 5_us;

Hardware machine() {
  constexpr BytesPerSecond kEndless{1'000'000'000'000'000};
  Hardware hardware{};
  hardware.clock = {1'000'000'000};
  hardware.memory = {192_MiB, 24, kEndless, kEndless, 65536_MiB, kEndless, kHbm, kHbm};
  hardware.fabric = {{{"plane", kPort, kPort, kPort}}, {{"near", kNone, 0, {}}}, kPort, kPort, {}, 1, {}};
  return hardware;
}

StreamProgram program_of(std::uint32_t ranks) {
  return {ranks, {{"sm", kSms}, {"copy", 1}, {"host", 1}}, {}};
}

StreamResult run(const StreamProgram& program, const StreamConditions& conditions = {}) {
  std::vector<std::uint32_t> dies(program.ranks);
  std::iota(dies.begin(), dies.end(), 0U);
  return run_streams(program, machine(), dies, Registry<NetworkBackend>::get("native"), conditions);
}

// A kernel that takes kJob alone and moves `hbm` bytes meanwhile.
StreamTask kernel(std::uint32_t stream, std::uint32_t sms, double hbm = 0) {
  StreamTask task{.name = "kernel", .stream = stream, .kind = kSm, .units = sms};
  task.job = {kJob, {hbm, 0, hbm}};
  return task;
}

StreamTask copy(RankId from, RankId to, std::uint32_t stream, Bytes bytes) {
  StreamTask task{.name = "copy", .rank = from, .stream = stream, .kind = kEngine, .units = 1};
  task.transfers = {{to, bytes, kPort}};
  return task;
}

Duration end_of(const StreamResult& result, std::uint32_t task) {
  return result.records[task].end.time_since_epoch();
}
Duration start_of(const StreamResult& result, std::uint32_t task) {
  return result.records[task].start.time_since_epoch();
}

}  // namespace

TEST_CASE("Kernels of one stream run one after the other, those of two streams together") {
  StreamProgram program = program_of(1);
  program.add(kernel(0, kSms / 2));
  program.add(kernel(0, kSms / 2));
  program.add(kernel(1, kSms / 2));
  const StreamResult result = run(program);
  CHECK(end_of(result, 0) == kJob);
  CHECK(end_of(result, 1) == 2 * kJob);
  CHECK(end_of(result, 2) == kJob);
  CHECK(result.makespan == 2 * kJob);
}

TEST_CASE("Few streams may run for longer than a taskflow's workers, but not for ever") {
  StreamProgram program = program_of(1);
  StreamTask hour = kernel(0, kSms);
  hour.hold = Duration(3'600'000'000'000'000);
  program.add(hour);
  CHECK(run(program).makespan == hour.hold + kJob);
  program.add(hour);
  program.add(hour);
  CHECK_THROWS_WITH(run(program), Catch::Contains("more than 10000 seconds"));
}

TEST_CASE("A kernel waits until it has all of its workers, and nobody overtakes it") {
  StreamProgram program = program_of(1);
  program.add(kernel(0, kSms / 2));
  program.add(kernel(1, kSms));      // needs those of the first
  program.add(kernel(2, kSms / 2));  // would fit beside the first, but asked later
  const StreamResult result = run(program);
  CHECK(start_of(result, 1) == kJob);
  CHECK(start_of(result, 2) == 2 * kJob);
}

TEST_CASE("A launch passes before a kernel asks for its workers, and does not hold them") {
  StreamProgram program = program_of(1);
  StreamTask late = kernel(0, kSms);
  late.wait = kLaunch;
  program.add(late);
  program.add(kernel(1, kSms));
  const StreamResult result = run(program);
  CHECK(end_of(result, 1) == kJob);
  CHECK(start_of(result, 0) == kJob);
}

TEST_CASE("An event joins streams of different ranks") {
  StreamProgram program = program_of(2);
  const std::uint32_t first = program.add(kernel(0, 1));
  StreamTask other = kernel(0, 1);
  other.rank = RankId{1};
  other.after = {first};
  const std::uint32_t second = program.add(other);
  const StreamResult result = run(program);
  CHECK(result.records[second].ready.time_since_epoch() == kJob);
  CHECK(end_of(result, second) == 2 * kJob);
}

TEST_CASE("Kernels that saturate the HBM share it") {
  const double all = seconds(kJob) * static_cast<double>(kHbm.count);  // what the HBM moves in kJob
  StreamProgram program = program_of(1);
  program.add(kernel(0, 1, all));
  program.add(kernel(1, 1, all));
  CHECK(run(program).makespan == 2 * kJob);
}

TEST_CASE("Work of the host holds no worker of the device and takes nothing of its memory") {
  StreamProgram program = program_of(1);
  const double all = seconds(kJob) * static_cast<double>(kHbm.count);
  program.add({.name = "plan", .stream = 1, .kind = kHost, .units = 1, .hold = kLaunch});
  program.add(kernel(0, kSms, all));
  const StreamResult result = run(program);
  CHECK(end_of(result, 0) == kLaunch);
  CHECK(end_of(result, 1) == kJob);
}

TEST_CASE("Copies of one engine come one after the other, whatever streams they stand in") {
  constexpr Bytes kMegabyte{1'000'000};
  const Duration each = transfer_time(kMegabyte, kPort);
  StreamProgram program = program_of(3);
  program.add(copy(RankId{0}, RankId{1}, 0, kMegabyte));
  program.add(copy(RankId{0}, RankId{2}, 1, kMegabyte));
  program.add(copy(RankId{1}, RankId{2}, 0, kMegabyte));
  const StreamResult result = run(program);
  CHECK(end_of(result, 0) == each);
  CHECK(end_of(result, 1) == 2 * each);
  CHECK(end_of(result, 2) == each);
  CHECK(result.sent == std::vector<std::uint64_t>{2'000'000, 1'000'000, 0});
}

TEST_CASE("A copy takes of the HBM at both ends what it moves: a product beside it is slower by that") {
  const double all = seconds(kJob) * static_cast<double>(kHbm.count);
  const Bytes bytes{static_cast<std::int64_t>(2 * seconds(kJob) * static_cast<double>(kPort.count))};
  StreamProgram program = program_of(2);
  program.add(kernel(0, kSms, all));
  program.add(copy(RankId{0}, RankId{1}, 1, bytes));
  // The port's 100 of 1000 GB/s are served first.
  const double slower = 1 / (1 - static_cast<double>(kPort.count) / static_cast<double>(kHbm.count));
  CHECK(seconds(end_of(run(program), 0)) == Approx(seconds(kJob) * slower).margin(1e-12));
}

TEST_CASE("A transfer goes at the rate of what drives it, and shares the port that it leaves by") {
  constexpr Bytes kMegabyte{1'000'000};
  StreamProgram program = program_of(3);
  StreamTask task{.name = "dispatch", .kind = kSm, .units = 1};
  task.transfers = {{RankId{1}, kMegabyte, {kPort.count / 4}}, {RankId{2}, kMegabyte, kPort}};
  program.add(task);
  StreamTask slow = task;
  slow.rank = RankId{1};
  slow.transfers = {{RankId{0}, kMegabyte, {kPort.count / 10}}};
  program.add(slow);
  const StreamResult result = run(program);
  CHECK(end_of(result, 0) == 4 * transfer_time(kMegabyte, kPort));
  CHECK(end_of(result, 1) == 10 * transfer_time(kMegabyte, kPort));
}

TEST_CASE("A task ends when the last of its job and its transfers has") {
  constexpr Bytes kBytes{20'000'000};
  StreamProgram program = program_of(2);
  StreamTask task = kernel(0, 1);
  task.hold = kLaunch;
  task.transfers = {{RankId{1}, kBytes, kPort}};
  program.add(task);
  CHECK(run(program).makespan == kLaunch + transfer_time(kBytes, kPort));
}

TEST_CASE("A task that could never run is refused when it is added") {
  StreamProgram program = program_of(1);
  CHECK_THROWS_AS(program.add(kernel(0, kSms + 1)), std::logic_error);
  CHECK_THROWS_AS(program.add(copy(RankId{0}, RankId{1}, 0, 1_B)), std::logic_error);
  CHECK_THROWS_AS(program.add(copy(RankId{0}, RankId{0}, 0, 1_B)), std::logic_error);
  StreamTask circle = kernel(0, 1);
  circle.after = {0};
  CHECK_THROWS_AS(program.add(circle), std::logic_error);
}

TEST_CASE("A task starts because of what ended last: in its stream, or behind an event") {
  StreamProgram program = program_of(1);
  program.add({.name = "a", .wait = kLaunch, .kind = kHost, .units = 1, .hold = 25_us});
  const std::uint32_t b = program.add({.name = "b", .stream = 1, .kind = kSm, .units = 1, .hold = 50_us});
  program.add({.name = "c", .after = {b}, .wait = kLaunch, .kind = kHost, .units = 1, .hold = 10_us});
  program.add({.name = "d", .stream = 1, .kind = kSm, .units = 1, .hold = 1_us});
  const std::vector<StreamRecord> records = run(program).records;
  CHECK(records[0].cause == Cause{});
  CHECK(records[0].asked == Time(kLaunch));
  CHECK(records[2].cause == Cause{Cause::Kind::kDependency, false, 0, b});
  CHECK(records[2].ready == Time(50_us));
  CHECK(records[2].asked == Time(50_us + kLaunch));
  CHECK(records[3].cause == Cause{Cause::Kind::kDependency, false, 0, b});
}

TEST_CASE("A task that waited for workers starts because of whose end freed them") {
  StreamProgram program = program_of(1);
  program.add({.name = "other", .stream = 2, .kind = kSm, .units = 1, .hold = 40_us});
  const std::uint32_t first = program.add({.name = "first", .kind = kEngine, .units = 1, .hold = 40_us});
  const std::uint32_t late =
      program.add({.name = "late", .stream = 1, .wait = 3_us, .kind = kEngine, .units = 1, .hold = 60_us});
  const std::vector<StreamRecord> records = run(program).records;
  CHECK(records[late].cause == Cause{Cause::Kind::kWorkers, false, 0, first});
  CHECK(records[late].asked == Time(3_us));
  CHECK(records[late].start == Time(40_us));
}

TEST_CASE("What a task loses is what its memory or its links took beyond its own time") {
  StreamProgram program = program_of(2);
  for (const std::uint32_t stream : {0U, 1U})
    program.add(kernel(stream, 1, static_cast<double>(kHbm.count) * seconds(kJob)));
  const std::vector<StreamRecord> records = run(program).records;
  CHECK(records[0].lost[static_cast<std::size_t>(Limit::kHbm)] == kJob);
  CHECK(records[0].end - records[0].start == 2 * kJob);
}

TEST_CASE("A rank that starts late begins none of its tasks before, and all others as without it") {
  StreamProgram program = program_of(2);
  StreamTask own = kernel(0, 1), later = kernel(1, 1), other = kernel(0, 1);
  own.rank = later.rank = RankId{1};
  own.wait = kLaunch;
  program.add(other);
  program.add(own);
  later.after = {0};
  program.add(later);
  constexpr Duration kLate = 130_us;
  const StreamResult result = run(program, {.ranks = {{.die = 0}, {.die = 1, .start = kLate}}});
  CHECK(start_of(result, 0) == Duration::zero());
  CHECK(start_of(result, 1) == kLate + kLaunch);
  CHECK(start_of(result, 2) == kLate);  // not when task 0 ends
  CHECK(result.records[2].cause == Cause());
  const StreamResult soon = run(program, {.ranks = {{.die = 0}, {.die = 1, .start = kJob / 2}}});
  CHECK(start_of(soon, 2) == kJob);
  CHECK(soon.records[2].cause.kind == Cause::Kind::kDependency);
}

TEST_CASE("A rank whose HBM gives half takes twice as long for what needs all of it") {
  StreamProgram program = program_of(2);
  const double all = static_cast<double>(kHbm.count) * seconds(kJob);
  for (const std::uint32_t rank : {0U, 1U}) {
    StreamTask task = kernel(0, 1, all);
    task.rank = RankId{rank};
    program.add(task);
  }
  const StreamResult result = run(program, {.ranks = {{.die = 0}, {.die = 1, .hbm = 0.5}}});
  CHECK(end_of(result, 0) == kJob);
  CHECK(end_of(result, 1) == 2 * kJob);
  CHECK(result.records[1].lost[static_cast<std::size_t>(Limit::kHbm)] == kJob);
}

TEST_CASE("Links of a program are disturbed as those of schedules, and each transfer says when it left") {
  constexpr Bytes kBytes{10'000'000};  // 100 us at a port's rate
  StreamProgram program = program_of(3);
  StreamTask both = copy(RankId{0}, RankId{1}, 0, kBytes);
  both.transfers.push_back({RankId{2}, kBytes, kPort});
  program.add(both);
  const auto ends = [&](const LinkDisturbances& links) {
    const StreamResult result = run(program, {.links = &links});
    REQUIRE(result.sends.size() == 2);
    CHECK(end_of(result, 0) == std::max(result.sends[0].end, result.sends[1].end).time_since_epoch());
    return std::pair(result.sends[0].end.time_since_epoch(), result.sends[1].end.time_since_epoch());
  };
  LinkDisturbances links;
  CHECK(ends(links) == std::pair<Duration, Duration>(200_us, 200_us));  // they share a port
  links.paths = {{0, 2, 0.1}};
  CHECK(ends(links) == std::pair<Duration, Duration>(Duration(111'111'112), 1000_us));  // 0.9 and 0.1 of it
  links.paths.clear();
  links.ports = {{.rank = 0, .factor = 0.5}};
  CHECK(ends(links) == std::pair<Duration, Duration>(400_us, 400_us));
  links.ports.clear();
  links.resends = {{.rank = 0, .chance = 1, .timeout = 30_us}};
  CHECK(ends(links) == std::pair<Duration, Duration>(230_us, 230_us));
  // One of them is sent again: the other one has the port for itself meanwhile.
  std::uint64_t seed = 0;
  const Hardware hardware = machine();
  const Program no_program{};
  const std::vector<std::uint32_t> dies{0, 1, 2};
  const Topology topology(hardware, no_program, dies, Transport::kPuts);
  const auto waits = [&](std::uint32_t to) {
    links.resends.front().seed = seed;
    return links.wait_of_put(topology, RankId{0}, RankId{to}, OpId{}, 0) > Duration::zero();
  };
  links.resends.front().chance = 0.5;
  while (waits(1) || !waits(2)) ++seed;
  CHECK(ends(links) == std::pair<Duration, Duration>(170_us, 200_us));
}
