#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "sim/memory/memory.h"

using namespace a3sim;

namespace {

using ReferenceRates = std::array<double, kResources>;

Time at_picosecond(std::int64_t ps) { return Time(Duration(ps)); }

// Speeds by definition: all jobs' fair rates rise together in small
// exact steps to the next job at full speed or resource that is full; a
// job stops at its full speed or when a resource that it uses is full.
std::vector<long double> speeds_by_definition(const std::vector<MemoryJob>& jobs,
                                              const ReferenceRates& available) {
  std::vector<long double> fair(jobs.size(), 0), weight(jobs.size());
  std::vector<bool> stopped(jobs.size(), false);
  const auto use = [&](std::size_t j, std::uint32_t r) {
    return static_cast<long double>(jobs[j].bytes[r]) / jobs[j].ideal.count();
  };
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    weight[j] = use(j, 0) + use(j, 1) > 0 ? use(j, 0) + use(j, 1) : use(j, 2);
    stopped[j] = weight[j] == 0;
  }
  while (std::count(stopped.begin(), stopped.end(), false) > 0) {
    long double step = std::numeric_limits<long double>::infinity();
    std::array<long double, kResources> left, slope{};
    for (std::uint32_t r = 0; r < kResources; ++r) {
      left[r] = available[r];
      for (std::size_t j = 0; j < jobs.size(); ++j) {
        if (weight[j] == 0) continue;
        left[r] -= fair[j] / weight[j] * use(j, r);
        if (!stopped[j]) slope[r] += use(j, r) / weight[j];
      }
      if (slope[r] > 0) step = std::min(step, left[r] / slope[r]);
    }
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (!stopped[j]) step = std::min(step, weight[j] - fair[j]);
    }
    const std::vector<bool> before = stopped;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (before[j]) continue;
      fair[j] += step;
      stopped[j] = weight[j] - fair[j] < 1e-14L;
      for (std::uint32_t r = 0; r < kResources; ++r) {
        if (use(j, r) > 0 && left[r] - step * slope[r] < 1e-14L) stopped[j] = true;
      }
    }
  }
  std::vector<long double> speeds(jobs.size(), 1);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (weight[j] > 0) speeds[j] = fair[j] / weight[j];
  }
  return speeds;
}

const ReferenceRates kReferenceCapacity{4.1e12, 2.3e12, 1.6e12};
const ReferenceRates kPerPicosecond{4.1, 2.3, 1.6};

struct Random {
  explicit Random(std::uint64_t seed) : engine(seed) {}
  std::int64_t below(std::uint64_t n) { return static_cast<std::int64_t>(engine() % n); }
  double unit() { return static_cast<double>(engine() >> 11) * 0x1p-53; }
  std::mt19937_64 engine;
};

MemoryJob random_job(Random& random) {
  MemoryJob job;
  job.ideal = Duration(1 + random.below(20'000'000));
  const auto ideal = static_cast<double>(job.ideal.count());
  const double scale = random.below(2) ? 0.1 : 1.5;  // bytes a picosecond
  if (random.below(4) > 0) job.bytes[0] = std::floor(random.unit() * scale * ideal);
  if (random.below(2) > 0) job.bytes[1] = std::floor(random.unit() * scale * ideal);
  if (random.below(3) > 0) job.bytes[2] = std::floor(random.unit() * scale / 2 * ideal);
  job.bytes[2] += std::floor(job.bytes[1] * random.unit());
  return job;
}

// Runs `count` random jobs in 20 slots, and calls
// look(now) at every time, when speeds are settled.
struct MemoryLoad {
  MemoryLoad(std::uint64_t seed, int count) : random(seed), left(count) {}

  template <class Look>
  void run(Look look) {
    std::int64_t now = 0, next_start = 0;
    while (!running.empty() || left > 0) {
      std::vector<std::uint32_t> ended;
      memory.advance(at_picosecond(now), ended);
      REQUIRE(std::is_sorted(ended.begin(), ended.end()));
      for (std::uint32_t slot : ended) end(slot, now);
      while (left > 0 && now >= next_start && running.size() < 20) start(now), --left;
      if (now >= next_start) next_start = now + random.below(3'000'000);
      memory.settle(at_picosecond(now));
      look(now);
      const Time next = memory.settle(at_picosecond(now));
      const std::int64_t start = left > 0 && running.size() < 20 ? next_start : kLater;
      REQUIRE((running.empty() || next > at_picosecond(now)));
      now = std::min(next.time_since_epoch().count(), start);
    }
  }

  void start(std::int64_t now) {
    std::uint32_t slot = 0;
    while (running.count(slot)) ++slot;
    const MemoryJob job = random_job(random);
    memory.start(at_picosecond(now), slot, job);
    running[slot] = {job, now};
  }

  void end(std::uint32_t slot, std::int64_t now) {
    REQUIRE(running.count(slot) == 1);
    const auto [job, begin] = running[slot];
    std::int64_t lost = 0;
    for (std::uint32_t r = 0; r < kResources; ++r) {
      const std::int64_t part = memory.loss(slot).lost[r].count();
      REQUIRE(part >= 0);
      REQUIRE((part == 0 || job.bytes[r] > 0));
      lost += part;
      moved[r] += job.bytes[r];
    }
    REQUIRE(lost == now - begin - job.ideal.count());
    running.erase(slot);
    ends.push_back(now);
  }

  static constexpr std::int64_t kLater = std::numeric_limits<std::int64_t>::max();
  Random random;
  Memory memory{kReferenceCapacity, 20};
  std::map<std::uint32_t, std::pair<MemoryJob, std::int64_t>> running;
  ReferenceRates moved{};
  std::vector<std::int64_t> ends;
  int left;
};

}  // namespace

TEST_CASE("speeds equal those of filling by definition, and losses add up, on random loads") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    MemoryLoad load(seed, 60);
    ReferenceRates available = kPerPicosecond;
    load.run([&](std::int64_t now) {
      std::vector<MemoryJob> jobs;
      for (const auto& [slot, entry] : load.running) jobs.push_back(entry.first);
      const auto speeds = speeds_by_definition(jobs, available);
      std::size_t j = 0;
      for (const auto& [slot, entry] : load.running) {
        INFO("seed " << seed << ", time " << now << ", slot " << slot);
        REQUIRE(load.memory.speed(slot) == Approx(static_cast<double>(speeds[j])).epsilon(1e-9));
        ++j;
      }
      if (seed % 2 == 0 && load.random.below(4) == 0) {
        ReferenceRates reserved;
        for (std::uint32_t r = 0; r < kResources; ++r) {
          reserved[r] = load.random.unit() * 1.2 * kReferenceCapacity[r];
          available[r] = std::max(0.01, 1 - reserved[r] / kReferenceCapacity[r]) * kPerPicosecond[r];
        }
        load.memory.reserve(at_picosecond(now), reserved);
      }
    });
    CHECK(load.memory.moved() == load.moved);
  }
}

TEST_CASE("a job ends when the integral of its speed reaches the ideal time, rounded up") {
  const long double noise = 0.1L;  // of a picosecond
  struct Progress {
    std::int64_t start;
    long double ideal, done;
    double speed;
  };
  for (std::uint64_t seed = 100; seed < 120; ++seed) {
    MemoryLoad load(seed, 60);
    std::map<std::uint32_t, Progress> progress;  // by slot
    std::int64_t before = 0;
    std::size_t ended = 0;
    load.run([&](std::int64_t now) {
      for (auto it = progress.begin(); it != progress.end();) {
        auto& [slot, p] = *it;
        p.done += static_cast<long double>(p.speed) * (now - before);
        if (load.running.count(slot) && load.running[slot].second == p.start) {
          REQUIRE(p.done < p.ideal + noise);
          ++it;
          continue;
        }
        REQUIRE(p.done > p.ideal - noise);
        REQUIRE(p.done - p.speed < p.ideal + noise);  // not a picosecond earlier
        it = progress.erase(it);
        ++ended;
      }
      for (const auto& [slot, entry] : load.running) {
        const auto ideal = static_cast<long double>(entry.first.ideal.count());
        progress.try_emplace(slot, Progress{entry.second, ideal, 0, 1}).first->second.speed =
            load.memory.speed(slot);
      }
      before = now;
    });
    CHECK(ended == 60);
  }
}

TEST_CASE("equal loads give equal times, whatever other memories do meanwhile") {
  MemoryLoad first(7, 200), second(7, 200);
  first.run([](std::int64_t) {});
  second.run(
      [](std::int64_t) { Memory(kReferenceCapacity, 1).start(at_picosecond(0), 0, {Duration(1), {}}); });
  CHECK(first.ends == second.ends);
}

TEST_CASE(
    "half the capacities and twice the ideal times give twice the times where they are whole picoseconds") {
  const auto ends = [](std::int64_t factor) {
    ReferenceRates capacity = kReferenceCapacity;
    for (double& c : capacity) c /= static_cast<double>(factor);
    Memory memory(capacity, 16);
    std::vector<std::int64_t> times;
    // Powers of two of one rate: every speed is a ratio of small numbers, every time whole.
    for (std::uint32_t i = 0; i < 16; ++i) {
      const double bytes = 1.6 / 4 * 3'840'000;
      memory.start(at_picosecond(0), i, {Duration(3'840'000 * factor), {bytes, 0, bytes}});
    }
    memory.reserve(at_picosecond(0), {0, 0, capacity[2] / 2});
    std::vector<std::uint32_t> ended;
    for (Time next = memory.settle(at_picosecond(0)); next != Time::max(); next = memory.settle(next)) {
      memory.advance(next, ended);
      times.resize(ended.size(), next.time_since_epoch().count());
      if (times.size() == 16) memory.reserve(next, {});
    }
    return times;
  };
  const auto once = ends(1), twice = ends(2);
  REQUIRE(once.size() == 16);
  for (std::size_t i = 0; i < once.size(); ++i) CHECK(twice[i] == 2 * once[i]);
  CHECK(once[0] == 8 * 3'840'000);  // 16 jobs of a quarter each on half of the capacity
}
