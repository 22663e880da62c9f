#include "sim/runtime/link_disturbances.h"

#include <catch2/catch.hpp>

#include "tests/runtime/links.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kRows = 4;

// A port carries what one worker puts, so that a port's factor is a lone put's.
Hardware narrow_machine() {
  Hardware hardware = small_machine();
  hardware.fabric.planes = {{"plane", kPutRate, kPutRate, kPutRate}};
  return hardware;
}

// A lone put from rank 0 to rank 1: how long its bytes flowed, and all before that.
struct LonePut {
  explicit LonePut(const LinkDisturbances& disturbances, std::uint32_t rows = kRows) {
    Links links(2, narrow_machine(), &disturbances);
    Engine engine;
    links[0].start(engine, 0, put_of(1, rows), OpId{0}, 1);
    engine.run();
    took = links.sites[0].left[0].time_since_epoch() - kStartup;
    lost = links[0].outcome(0).lost;
  }
  Duration took, lost;
};

void check_near(Duration is, Duration expected) {
  constexpr Duration kRounding = 20_ps;
  CHECK(std::chrono::abs(is - expected) <= kRounding);
}

Duration alone(double factor) {
  return Duration(
      static_cast<std::int64_t>(static_cast<double>(flow_time(kRows, kPutRate).count()) / factor));
}

TEST_CASE("Half a port doubles what a lone put flows, on either side, and nothing of it is lost to sharing") {
  for (const bool egress : {true, false}) {
    LinkDisturbances disturbances;
    disturbances.ports = {{.rank = egress ? 0U : 1U, .egress = egress, .ingress = !egress, .factor = 0.5}};
    const LonePut put(disturbances);
    check_near(put.took, alone(0.5));
    CHECK(put.lost <= 20_ps);
  }
}

TEST_CASE("A port of another rank, side or plane changes nothing") {
  const Duration usual = LonePut({}).took;
  CHECK(usual == flow_time(kRows, kPutRate));
  for (const LinkDisturbances::Port& port :
       {LinkDisturbances::Port{.rank = 1, .ingress = false, .factor = 0.5},
        LinkDisturbances::Port{.rank = 0, .egress = false, .factor = 0.5},
        LinkDisturbances::Port{.rank = 0, .plane = 0, .factor = 1}}) {
    LinkDisturbances disturbances;
    disturbances.ports = {port};
    CHECK(LonePut(disturbances).took == usual);
  }
}

TEST_CASE("What others take of a port is not there") {
  LinkDisturbances disturbances;
  disturbances.ports = {{.rank = 1, .egress = false, .taken = {4 * kPutRate.count / 10}}};
  check_near(LonePut(disturbances).took, alone(0.6));
}

TEST_CASE("A port that others take whole keeps a thousandth of its capacity") {
  LinkDisturbances disturbances;
  disturbances.ports = {{.rank = 1, .egress = false, .taken = kPutRate}};
  const Duration expected = alone(0.001);
  CHECK(std::chrono::abs(LonePut(disturbances).took - expected) < expected / 1000);
}

TEST_CASE("A port that is slow for a part of each period slows a put while it is, and no longer") {
  constexpr Duration kPeriod = 1_us, kOn = 300_ns;
  constexpr double kFactor = 0.1;
  LinkDisturbances disturbances;
  disturbances.ports = {{.rank = 0, .ingress = false, .factor = kFactor, .period = kPeriod, .on = kOn}};
  // The bytes begin to flow at the beginning of a period.
  disturbances.since = kPeriod - kStartup;
  const Duration one = flow_time(1, kPutRate);  // 6.4 us at the full rate
  const Duration of_period = kOn / 10 + (kPeriod - kOn);
  const auto whole = one / of_period;
  const Duration rest = one - whole * of_period;  // more than the slow part of a period brings
  REQUIRE(rest > kOn / 10);
  check_near(LonePut(disturbances, 1).took, whole * kPeriod + kOn + (rest - kOn / 10));
  CHECK(disturbances.depend_on_time());
}

TEST_CASE("A slow path slows what goes along it, in its direction") {
  LinkDisturbances disturbances;
  disturbances.paths = {{0, 1, 0.2}};
  check_near(LonePut(disturbances).took, alone(0.2));
  disturbances.paths = {{1, 0, 0.2}};
  CHECK(LonePut(disturbances).took == flow_time(kRows, kPutRate));
}

TEST_CASE("A put that is sent again takes exactly the timeout longer") {
  constexpr Duration kTimeout = 33_us;
  LinkDisturbances disturbances;
  disturbances.resends = {{0, kNone, 1, kTimeout, 7}};
  CHECK(LonePut(disturbances).took == flow_time(kRows, kPutRate) + kTimeout);
  CHECK(LonePut(disturbances).lost == Duration::zero());
  disturbances.resends = {{0, kNone, 0, kTimeout, 7}};
  CHECK(LonePut(disturbances).took == flow_time(kRows, kPutRate));
  disturbances.resends = {{0, 1, 1, kTimeout, 7}};  // another plane
  CHECK(LonePut(disturbances).took == flow_time(kRows, kPutRate));
}

TEST_CASE("As many puts are sent again as the chance says") {
  constexpr std::uint32_t kPuts = 10'000;
  constexpr double kChance = 0.1;
  const std::vector<std::uint32_t> dies{0, 1};
  const Hardware hardware = small_machine();
  const Topology topology(hardware, small_program(), dies, Transport::kPuts);
  LinkDisturbances disturbances;
  disturbances.resends = {{0, kNone, kChance, 1_us, 3}};
  std::uint32_t again = 0;
  for (std::uint32_t row = 0; row < kPuts; ++row)
    again += disturbances.wait_of_put(topology, RankId{0}, RankId{1}, OpId{2}, row) > Duration::zero();
  // Five deviations of a binomial: sqrt(10,000 * 0.1 * 0.9) = 30.
  CHECK(again > 850);
  CHECK(again < 1150);
}

}  // namespace
}  // namespace a3sim
