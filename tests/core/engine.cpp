#include "sim/core/engine.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

using namespace a3sim;

namespace {

// Writes what is called, and when; what else happens is the test's.
class Recorder : public EventHandler {
 public:
  explicit Recorder(std::string name, std::vector<std::string>& log) : name_(std::move(name)), log_(log) {}

  void on_event(Engine& engine, std::uint32_t arg) override {
    note("event", engine, arg);
    if (then) then(engine, arg);
  }
  void on_settle(Engine& engine, std::uint32_t arg) override {
    note("settle", engine, arg);
    if (then_settled) then_settled(engine, arg);
  }

  std::function<void(Engine&, std::uint32_t)> then, then_settled;

 private:
  void note(const char* what, Engine& engine, std::uint32_t arg) {
    log_.push_back(std::to_string(engine.now().time_since_epoch().count()) + " " + what + " " + name_ +
                   std::to_string(arg));
  }
  std::string name_;
  std::vector<std::string>& log_;
};

using Log = std::vector<std::string>;

Time at(std::int64_t ps) { return Time(Duration(ps)); }

}  // namespace

TEST_CASE("events run by time, and those of one time by handler and argument, whenever they were scheduled") {
  Log log;
  Recorder a("a", log), b("b", log);
  Engine engine;
  engine.know(a);
  engine.know(b);
  engine.schedule(at(20), b, 1);
  engine.schedule(at(20), a, 7);
  engine.schedule(at(10), b, 3);
  engine.schedule(at(20), b, 0);
  engine.schedule(at(10), a, 4);
  engine.run();
  CHECK(log == Log{"10 event a4", "10 event b3", "20 event a7", "20 event b0", "20 event b1"});
  CHECK(engine.events() == 5);
  CHECK(engine.now() == at(20));
}

TEST_CASE("handlers that were not introduced come as they scheduled their first event") {
  Log log;
  Recorder a("a", log), b("b", log);
  Engine engine;
  engine.schedule(at(9), b, 0);
  engine.schedule(at(5), a, 0);
  engine.schedule(at(5), b, 0);
  engine.run();
  CHECK(log == Log{"5 event b0", "5 event a0", "9 event b0"});
}

TEST_CASE("what is scheduled at its own time is a next round, in order as the first") {
  Log log;
  Recorder a("a", log), b("b", log);
  Engine engine;
  engine.know(a);
  engine.know(b);
  b.then = [&](Engine& e, std::uint32_t arg) {
    if (arg != 5) return;
    e.schedule(e.now(), b, 2);
    e.schedule(e.now(), a, 9);
    e.schedule(e.now(), b, 1);
  };
  engine.schedule(at(3), b, 6);
  engine.schedule(at(3), b, 5);
  engine.run();
  CHECK(log == Log{"3 event b5", "3 event b6", "3 event a9", "3 event b1", "3 event b2"});
}

TEST_CASE("an event for the current time runs at it, after those that were scheduled before") {
  Log log;
  Recorder a("a", log);
  Engine engine;
  a.then = [&](Engine& e, std::uint32_t arg) {
    if (arg == 0) e.schedule(e.now(), a, 2);
  };
  engine.schedule(at(5), a, 0);
  engine.schedule(at(5), a, 1);
  engine.schedule(at(6), a, 3);
  engine.run();
  CHECK(log == Log{"5 event a0", "5 event a1", "5 event a2", "6 event a3"});
}

TEST_CASE("an event one picosecond before now is refused, one at now is not") {
  Log log;
  Recorder a("a", log);
  Engine engine;
  engine.schedule(at(7), a, 0);
  engine.run();
  CHECK_THROWS_AS(engine.schedule(at(6), a, 1), std::logic_error);
  CHECK_THROWS_AS(Engine().schedule(at(-1), a, 1), std::logic_error);
  engine.schedule(at(7), a, 2);
  engine.run();
  CHECK(log == Log{"7 event a0", "7 event a2"});
}

TEST_CASE("a settle runs once, after all events of its time and before the next time") {
  Log log;
  Recorder a("a", log);
  Engine engine;
  a.then = [&](Engine& e, std::uint32_t arg) {
    if (arg < 2) e.settle(a, 9);
    if (arg == 0) e.schedule(e.now(), a, 2);
  };
  engine.schedule(at(5), a, 0);
  engine.schedule(at(5), a, 1);
  engine.schedule(at(6), a, 3);
  engine.run();
  CHECK(log == Log{"5 event a0", "5 event a1", "5 event a2", "5 settle a9", "6 event a3"});
  CHECK(engine.events() == 4);
}

TEST_CASE("settles run in order of request, and events that one schedules at its time run before the next") {
  Log log;
  Recorder a("a", log), b("b", log);
  Engine engine;
  a.then = [&](Engine& e, std::uint32_t arg) {
    if (arg != 0) return;
    e.settle(b, 1);
    e.settle(a, 1);
    e.settle(b, 1);
    e.settle(b, 2);
  };
  b.then_settled = [&](Engine& e, std::uint32_t arg) {
    if (arg == 1) e.schedule(e.now(), a, 7);
  };
  engine.schedule(at(1), a, 0);
  engine.schedule(at(2), a, 8);
  engine.run();
  CHECK(log == Log{"1 event a0", "1 settle b1", "1 event a7", "1 settle a1", "1 settle b2", "2 event a8"});
}

TEST_CASE("a settle that has run may be asked for again at the same time") {
  Log log;
  Recorder a("a", log);
  Engine engine;
  int again = 2;
  a.then = [&](Engine& e, std::uint32_t) { e.settle(a, 0); };
  a.then_settled = [&](Engine& e, std::uint32_t) {
    if (again-- > 0) e.settle(a, 0);
  };
  engine.schedule(at(3), a, 5);
  engine.run();
  CHECK(log == Log{"3 event a5", "3 settle a0", "3 settle a0", "3 settle a0"});
}

TEST_CASE("stop ends the run after the running handler, and the next run goes on") {
  Log log;
  Recorder a("a", log);
  Engine engine;
  a.then = [&](Engine& e, std::uint32_t arg) {
    e.settle(a, arg);
    if (arg == 0) e.stop();
  };
  engine.schedule(at(1), a, 0);
  engine.schedule(at(1), a, 1);
  engine.run();
  CHECK(log == Log{"1 event a0"});
  engine.run();
  CHECK(log == Log{"1 event a0", "1 event a1", "1 settle a0", "1 settle a1"});
}

TEST_CASE("a settle asked for before the run happens at time 0") {
  Log log;
  Recorder a("a", log);
  Engine engine;
  engine.settle(a, 4);
  engine.schedule(at(1), a, 0);
  engine.run();
  CHECK(log == Log{"0 settle a4", "1 event a0"});
}

TEST_CASE("handlers may serve several engines in turn") {
  Log log;
  Recorder a("a", log), b("b", log);
  Engine first, second;
  first.schedule(at(1), a, 0);
  first.schedule(at(2), b, 1);
  second.schedule(at(1), b, 2);
  second.schedule(at(2), a, 3);
  first.schedule(at(3), a, 4);
  first.run();
  second.run();
  CHECK(log == Log{"1 event a0", "2 event b1", "3 event a4", "1 event b2", "2 event a3"});
}

TEST_CASE("what a handler throws passes through, and the engine goes on after it") {
  Log log;
  Recorder a("a", log);
  Engine engine;
  a.then = [&](Engine&, std::uint32_t arg) {
    if (arg == 0) throw std::runtime_error("planted");
  };
  engine.schedule(at(1), a, 0);
  engine.schedule(at(1), a, 1);
  CHECK_THROWS_AS(engine.run(), std::runtime_error);
  engine.run();
  CHECK(log == Log{"1 event a0", "1 event a1"});
}

TEST_CASE("a run of more than 100 seconds ends with an error, before times or their sums overflow") {
  constexpr std::int64_t kSecond = 1'000'000'000'000;
  Log log;
  Recorder a("a", log);
  Engine engine;
  engine.schedule(at(100 * kSecond), a, 0);
  engine.schedule(at(100 * kSecond + 1), a, 1);
  CHECK_THROWS_WITH(engine.run(), Catch::Contains("more than 100 seconds"));
  CHECK(log == Log{std::to_string(100 * kSecond) + " event a0"});
  Engine longer(2 * Engine::kLongest);
  longer.schedule(at(150 * kSecond), a, 0);
  CHECK_NOTHROW(longer.run());
  longer.schedule(at(200 * kSecond + 1), a, 1);
  CHECK_THROWS_WITH(longer.run(), Catch::Contains("more than 200 seconds"));
}
