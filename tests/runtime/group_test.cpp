#include "sim/runtime/group.h"

#include <catch2/catch.hpp>

namespace a3sim {
namespace {

struct Member final : EventHandler {
  void on_event(Engine& engine, std::uint32_t value) override { called.emplace_back(engine.now(), value); }
  std::vector<std::pair<Time, std::uint32_t>> called;
};

// Comes to the meeting at a time.
struct Arrival final : EventHandler {
  Arrival(Group& group, Duration delay) : group(group), delay(delay) {}
  void on_event(Engine& engine, std::uint32_t value) override {
    group.arrive(engine, RankId{came++ % 2}, delay, value);
  }
  Group& group;
  Duration delay;
  std::uint32_t came = 0;
};

TEST_CASE("Ranks meet when the last one comes, are called the delay later, and can meet again") {
  constexpr Duration kDelay = 4_us, kLast = 9_us, kAgain = 20_us;
  Group group(1_us, 2);
  Member members[2];
  for (Member& member : members) group.join(member);
  Arrival arrival(group, kDelay);
  Engine engine;
  for (const Duration time : {2_us, kLast}) engine.schedule(Time(time), arrival, 5);
  for (const Duration time : {kAgain, kAgain}) engine.schedule(Time(time), arrival, 6);
  engine.run();
  for (const Member& member : members) {
    CHECK(member.called ==
          std::vector<std::pair<Time, std::uint32_t>>{{Time(kLast + kDelay), 5}, {Time(kAgain + kDelay), 6}});
  }
}

}  // namespace
}  // namespace a3sim
