#include "sim/runtime/event_counters.h"

#include <array>
#include <catch2/catch.hpp>

namespace a3sim {
namespace {

// Keeps when it was told of what.
struct Listening final : EventCounters::Listener {
  void event_is_complete(Engine& engine, std::uint32_t event) override {
    told.emplace_back(engine.now(), event);
  }
  std::vector<std::pair<Time, std::uint32_t>> told;
};

TEST_CASE("An event is complete with its last trigger, at that time and not before, and only once") {
  const std::vector<EventDescriptor> events{{2, 0}, {1, 0}};
  EventCounters counters(events);
  Listening listener;
  counters.tell(listener);
  Engine engine;
  counters.add_at(engine, Time(7_us), 0, RankId{0});
  counters.add_at(engine, Time(3_us), 0, RankId{0});
  counters.add_at(engine, Time(5_us), 1, RankId{0});
  CHECK_FALSE(counters.is_complete(0));
  engine.run();
  CHECK(listener.told == std::vector<std::pair<Time, std::uint32_t>>{{Time(5_us), 1}, {Time(7_us), 0}});
  CHECK(counters.count(0) == 2);
  CHECK(counters.is_complete(0));
}

TEST_CASE("The last trigger of an event is the latest, and of several at one time the largest rank's") {
  const std::vector<EventDescriptor> events{{3, 0}};
  for (const bool reversed : {false, true}) {
    EventCounters counters(events);
    Listening listener;
    counters.tell(listener);
    Engine engine;
    for (const std::uint32_t rank : reversed ? std::array{2U, 1U, 3U} : std::array{3U, 1U, 2U})
      counters.add_at(engine, Time(rank == 3 ? 5_us : 6_us), 0, RankId{rank});
    CHECK(counters.last_trigger(0).rank == 2);
    CHECK(counters.last_trigger(0).visible == Time(6_us));
  }
}

}  // namespace
}  // namespace a3sim
