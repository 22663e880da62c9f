// Measures the shared memory of one device: every slot takes its next job as soon as one has ended.
#include "sim/memory/memory.h"

#include <fmt/core.h>
#include <time.h>

#include <random>
#include <vector>

using namespace a3sim;

namespace {

constexpr std::uint32_t kSlots = 75;  // 25 AIC and 50 AIV
constexpr std::array<double, kResources> kCapacity{6.4e12, 3.2e12, 1.6e12};
constexpr std::uint64_t kJobs = 500'000;

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// `load`: demand at full speed relative to the capacities. `kinds`: number of different rates among the jobs.
void run(double load, int kinds) {
  Memory memory(kCapacity, kSlots);
  std::mt19937_64 random(3);
  const auto start = [&](Time now, std::uint32_t slot) {
    const auto ideal = static_cast<std::int64_t>(1'000'000 + random() % 1'000'000);
    const double kind = 0.5 + static_cast<double>(slot % kinds + 1) / (kinds + 1);
    MemoryJob job{Duration(ideal), {}};
    for (std::uint32_t r = 0; r < kResources; ++r) {
      job.bytes[r] = load * kind * kCapacity[r] / kSlots * static_cast<double>(ideal) * 1e-12;
    }
    if (slot % 2 == 0) job.bytes[2] = 0;  // writers
    memory.start(now, slot, job);
  };
  std::vector<std::uint32_t> ended;
  std::uint64_t done = 0, settles = 0;
  const double begin = processor_seconds();
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) start(Time{}, slot);
  for (Time now = memory.settle(Time{}); done < kJobs; now = memory.settle(now), ++settles) {
    ended.clear();
    memory.advance(now, ended);
    for (std::uint32_t slot : ended) start(now, slot);
    done += ended.size();
  }
  const double seconds = processor_seconds() - begin;
  fmt::print("{:>8.1f} {:>6} {:>9} {:>11.3f} {:>11.3f}\n", load, kinds, done,
             1e6 * seconds / static_cast<double>(done), 1e6 * seconds / static_cast<double>(settles));
}

}  // namespace

int main() {
  fmt::print("{} slots, each always busy; processor time of an end, the next start and the solve\n", kSlots);
  fmt::print("  demand  kinds      jobs      us/job   us/settle\n");
  for (int kinds : {1, 3, 75}) {
    for (double load : {0.5, 1.0, 1.5, 3.0}) run(load, kinds);
  }
  fmt::print(
      "Below saturation nothing is solved: a scan for the next end over {} slots remains. Above, a solve "
      "costs a pass\n"
      "over the jobs for every kind of job and resource that limits, and a division for each speed that "
      "changed.\n",
      kSlots);
}
