#include <catch2/catch.hpp>
#include <deque>

#include "sim/core/rng.h"
#include "sim/runtime/hosts/data_pipeline.h"
#include "sim/runtime/hosts/host.h"
#include "sim/runtime/hosts/host_options.h"
#include "tests/core/config_text.h"

namespace a3sim {
namespace {

constexpr Duration kTick = 1_us;

// The tandem by definition, tick by tick: each stage's servers hold a batch until the queue behind has room.
class TickedTandem {
 public:
  // By batch; workers and queues are those of all.
  explicit TickedTandem(const std::vector<DataOptions>& options) : of_(options) {}

  // The times, in ticks, at which a consumer who works `work[i]` ticks on batch i gets each.
  std::vector<std::int64_t> taken(const std::vector<std::int64_t>& work) {
    std::vector<std::int64_t> times;
    std::int64_t free = 0;
    for (std::int64_t now = 0; times.size() < work.size(); ++now) {
      bool moved = true;
      while (moved) {
        moved = false;
        if (free <= now && times.size() < work.size() && !queues_[2].empty()) {
          queues_[2].pop_front();
          free = now + work[times.size()];
          times.push_back(now);
          moved = true;
        }
        for (int s = 2; s >= 0; --s) moved |= leave(s, now) || begin(s, now);
      }
    }
    return times;
  }

 private:
  struct Served {
    int batch;
    std::int64_t end;
  };
  std::int64_t length(int stage, int batch) const {
    const DataOptions& options = of_[static_cast<std::size_t>(batch) % of_.size()];
    const Duration lengths[] = {options.read, options.process, options.fetch};
    return lengths[stage] / kTick;
  }
  // In order.
  bool leave(int s, std::int64_t now) {
    if (servers_[s].empty() || servers_[s].front().end > now || queues_[s].size() == of_[0].queue)
      return false;
    queues_[s].push_back(servers_[s].front().batch);
    servers_[s].pop_front();
    return true;
  }
  bool begin(int s, std::int64_t now) {
    if (servers_[s].size() == (s == 1 ? of_[0].workers : 1)) return false;
    if (s > 0 && queues_[s - 1].empty()) return false;
    const int batch = s == 0 ? next_++ : queues_[s - 1].front();
    if (s > 0) queues_[s - 1].pop_front();
    servers_[s].push_back({batch, now + length(s, batch)});
    return true;
  }

  std::vector<DataOptions> of_;
  int next_ = 0;
  std::deque<Served> servers_[3];
  std::deque<int> queues_[3];
};

TEST_CASE("batches come when a tandem with bounded queues, walked through tick by tick, brings them") {
  Rng rng(11);
  for (int round = 0; round < 60; ++round) {
    const std::uint32_t workers = 1 + rng.below(4), queue = 1 + rng.below(4);
    std::vector<DataOptions> batches;
    for (int batch = 0; batch < 80; ++batch) {
      const auto ticks = [&](std::uint32_t most) { return (1 + rng.below(most)) * kTick; };
      batches.push_back({ticks(6), ticks(20), ticks(6), workers, queue});
    }
    std::vector<std::int64_t> work;
    for (int i = 0; i < 40; ++i) work.push_back(rng.below(25));
    const DataPipeline::Options options = [&](std::uint32_t batch) {
      return batches[batch % batches.size()];
    };
    DataPipeline pipeline;
    std::vector<std::int64_t> times;
    Duration free{};
    for (const std::int64_t of_batch : work) {
      const Duration taken = std::max(free, pipeline.next(options).back().left);
      pipeline.take(taken);
      times.push_back(taken / kTick);
      free = taken + of_batch * kTick;
    }
    REQUIRE(times == TickedTandem(batches).taken(work));
  }
}

TEST_CASE("what a host's block says is read, and what it does not say lets no device wait") {
  const ConfigText text(
      "data: {read: 1 us, process: 2 us, fetch: 3 us, workers: 4, queue: 5}\n"
      "recording: {light: 6 us, full: 7 us}\nlaunch: 8 us\nahead: 9\n");
  const HostOptions options = read_host_options(text.config, 100, 50_us);
  CHECK(options.data.read == 1_us);
  CHECK(options.data.process == 2_us);
  CHECK(options.data.fetch == 3_us);
  CHECK(options.data.workers == 4);
  CHECK(options.data.queue == 5);
  CHECK(options.record_light == 6_us);
  CHECK(options.record_full == 7_us);
  CHECK(options.launch == 8_us);
  CHECK(options.ahead == 9);
  const ConfigText empty("{}");
  const HostOptions defaults = read_host_options(empty.config, 100, 50_us);
  CHECK(defaults.launch == 50_us);
  CHECK(defaults.ahead == 100);
  CHECK_FALSE(defaults.data.any());
  CHECK(defaults.record_light + defaults.record_full == Duration::zero());
  CHECK(text.errors() + empty.errors() == "");
}

TEST_CASE("batches come as often as the slowest stage lets them, and queues say which it is") {
  DataOptions pipeline;
  pipeline.read = 5_us;
  pipeline.process = 40_us;
  pipeline.fetch = 1_us;
  pipeline.queue = 4;
  const auto at_end = [](DataOptions with) {
    const DataPipeline::Options options = [&](std::uint32_t) { return with; };
    DataPipeline pipeline;
    constexpr int kBatches = 600, kMeasured = 400;  // more than it remembers
    Duration last{}, from{};
    std::array<std::uint8_t, 3> fill{};
    for (int i = 0; i < kBatches; ++i) {
      const Duration time = pipeline.next(options).back().left;
      fill = pipeline.fill(options, last);
      pipeline.take(time);
      last = time;
      if (i == kBatches - kMeasured - 1) from = time;
    }
    return std::pair((last - from) / kMeasured, fill);
  };
  using Fill = std::array<std::uint8_t, 3>;
  CHECK(at_end(pipeline) == std::pair(pipeline.process, Fill{100, 0, 0}));
  pipeline.workers = 4;
  CHECK(at_end(pipeline).first == pipeline.process / pipeline.workers);
}

// A host whose device does nothing but take `each` for what is launched.
Duration device_time(Host& host, int launches, Duration each, Duration from = {}) {
  for (int i = 0; i < launches; ++i) from = host.launch(from) + each;
  return from;
}

HostOptions host_of(Duration launch, std::uint32_t ahead) {
  HostOptions options;
  options.launch = launch;
  options.ahead = ahead;
  return options;
}

TEST_CASE("a device that is faster than its host takes what the launches take") {
  constexpr int kLaunches = 20;
  constexpr Duration kLaunch = 7_us, kWork = 2_us;
  Host host(host_of(kLaunch, 64), [](std::uint32_t) { return HostStep{}; });
  host.begin_step(0);
  CHECK(device_time(host, kLaunches, kWork) == kLaunches * kLaunch + kWork);
  CHECK(host.late() == kLaunch + (kLaunches - 1) * (kLaunch - kWork));
}

TEST_CASE("a host that is faster is late once, unless it may not run ahead") {
  constexpr int kLaunches = 20;
  constexpr Duration kLaunch = 2_us, kWork = 7_us;
  for (const std::uint32_t ahead : {1U, 2U, 64U}) {
    Host host(host_of(kLaunch, ahead), [](std::uint32_t) { return HostStep{}; });
    host.begin_step(0);
    CHECK(device_time(host, kLaunches, kWork) == kLaunch + kLaunches * kWork);
  }
  Host blocking(host_of(kLaunch, 0), [](std::uint32_t) { return HostStep{}; });
  blocking.begin_step(0);
  CHECK(device_time(blocking, kLaunches, kWork) == kLaunches * (kLaunch + kWork));
}

// Two steps of four launches of 10 us each; in the second one the host does something.
std::pair<Duration, Duration> two_steps(const HostEvent& event, std::uint32_t ahead) {
  Host host(host_of(1_us, ahead), [event](std::uint32_t step) {
    HostStep host;
    if (step == 1) host.events = {event};
    return host;
  });
  host.begin_step(0);
  const Duration first = device_time(host, 4, 10_us);
  host.begin_step(1);
  return {first, device_time(host, 4, 10_us, first) - first};
}

TEST_CASE("a pause costs what the host was not ahead by, a sync all that it had gained") {
  // Its launch queued behind the one that runs, the host begins with the second step when that begins: 10 us before the
  // device could.
  CHECK(two_steps({HostAction::kCollect, {}, 8_us}, 1).second == 40_us);
  CHECK(two_steps({HostAction::kCollect, {}, 50_us}, 1).second > 40_us);
  CHECK(two_steps({HostAction::kCollect, {}, 25_us}, 4).second == 40_us);
  // A sync waits for the end of the first step, and its launch comes after that.
  constexpr Duration kLength = 5_us, kLaunch = 1_us;
  CHECK(two_steps({HostAction::kSync, {}, kLength}, 4).second == kLength + kLaunch + 40_us);
}

TEST_CASE("what a host has done is of its last step alone") {
  Host host(host_of(1_us, 4), [](std::uint32_t) { return HostStep{}; });
  host.begin_step(0);
  const Duration first = device_time(host, 4, 10_us);
  const std::size_t of_first = host.done().size();
  host.begin_step(1);
  CHECK(host.done().empty());
  device_time(host, 4, 10_us, first);
  CHECK(of_first > 0);
  CHECK(host.done().size() == of_first);
}

TEST_CASE("stages that take no time are nothing that a host has done") {
  HostStep step;
  step.data.read = 5_us;
  Host host(host_of(1_us, 4), [&](std::uint32_t) { return step; });
  host.begin_step(0);
  host.launch({});
  std::vector<HostAction> actions;
  for (const HostDone& done : host.done()) actions.push_back(done.action);
  CHECK(actions == std::vector<HostAction>{HostAction::kRead, HostAction::kLaunch});
}

TEST_CASE("what a host does while its queue is full costs nothing") {
  // Ahead by one, in the second step it waits for the first kernel's begin when the event is due.
  CHECK(two_steps({HostAction::kLog, 15_us, 4_us}, 1).second == 40_us);
}

TEST_CASE("launches slow down by a lognormal factor, the same for the same seed") {
  const auto total = [](std::uint64_t seed, double spread) {
    Host host(host_of(Duration::zero(), 1000), [=](std::uint32_t) {
      HostStep step;
      step.slow = {{100_us, spread, seed}};
      return step;
    });
    host.begin_step(0);
    return device_time(host, 4000, Duration::zero());
  };
  CHECK(total(1, 0) == 4000 * 100_us);
  CHECK(total(1, 0.5) == total(1, 0.5));
  CHECK(total(1, 0.5) != total(2, 0.5));
  // The mean of a lognormal of median 1 is exp(sigma^2 / 2) = 1.1331; its deviation 0.604: 0.0095 over 4000.
  CHECK(seconds(total(1, 0.5)) / 0.4 == Approx(1.1331).margin(0.05));
}

}  // namespace
}  // namespace a3sim
