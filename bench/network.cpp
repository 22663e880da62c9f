// Measures the networks: flows through shared ports, with rates and times exact by each network's rule.
#include "sim/network/network.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "sim/core/registry.h"

using namespace a3sim;

namespace {

constexpr BytesPerSecond kPort{196'000'000'000};  // of one die
constexpr BytesPerSecond kWorker{14'000'000'000};
constexpr std::int64_t kBytesPerRank = 470'000'000;

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::unique_ptr<Network> create(const std::string& backend, std::uint32_t ranks) {
  return Registry<NetworkBackend>::get(backend).create(
      {std::vector(ranks, kPort), std::vector(ranks, kPort)});
}

void print(const std::string& what, double flows, double seconds, Time end) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{:<81} {:>8.0f} flows {:>7.3f} s {:>8.3f} us/flow, peak so far {:>4} MB, simulated {:.6f} ms\n",
             what, flows, seconds, 1e6 * seconds / flows, usage.ru_maxrss / 1024,
             milliseconds(end.time_since_epoch()));
}

// Keeps `workers` puts of random size to random ranks in flight on every rank.
void closed_loop(const std::string& backend, std::uint32_t ranks, std::uint32_t workers, std::uint64_t flows,
                 BytesPerSecond cap) {
  const auto network = create(backend, ranks);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> log_size(std::log(1e5), std::log(4e6));
  const auto start = [&](Time now, std::uint32_t token) {
    const std::uint32_t src = token / workers;
    const auto dst = static_cast<std::uint32_t>((src + 1 + random() % (ranks - 1)) % ranks);
    network->start(now, {src, dst, {std::llround(std::exp(log_size(random)))}, cap, token});
  };
  std::vector<std::uint32_t> ended;
  Time now{};
  const double begin = processor_seconds();
  for (std::uint32_t token = 0; token < ranks * workers; ++token) start(now, token);
  std::uint64_t done = 0;
  while (done < flows) {
    now = network->next_end();
    ended.clear();
    network->advance(now, ended);
    for (std::uint32_t token : ended) start(now, token);
    done += ended.size();
  }
  print(fmt::format("{}: closed loop, {} ranks x {} puts of random size, cap {} GB/s", backend, ranks,
                    workers, cap.count / 1'000'000'000),
        static_cast<double>(done), processor_seconds() - begin, now);
}

// Moves every pair's bytes in chunks, each after the last has ended, or all at once.
void all_to_all(const std::string& backend, std::uint32_t ranks, std::uint32_t chunks, bool at_once,
                double spread) {
  const auto network = create(backend, ranks);
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> factor(1 - spread, 1 + spread);
  const std::uint64_t pairs = std::uint64_t{ranks} * (ranks - 1);
  std::vector<std::uint32_t> left(std::size_t{ranks} * ranks, chunks);
  const double mean = static_cast<double>(kBytesPerRank) / (ranks - 1) / chunks;
  const auto start = [&](Time now, std::uint32_t token) {
    const Bytes bytes{std::llround(mean * (spread > 0 ? factor(random) : 1))};
    network->start(now, {token / ranks, token % ranks, bytes, kPort, token});
    --left[token];
  };
  std::vector<std::uint32_t> ended;
  Time now{};
  const double begin = processor_seconds();
  for (std::uint32_t src = 0; src < ranks; ++src) {
    for (std::uint32_t k = 1; k < ranks; ++k) {
      const std::uint32_t token = src * ranks + (src + k) % ranks;
      for (std::uint32_t c = 0; c < (at_once ? chunks : 1); ++c) start(now, token);
    }
  }
  for (std::uint64_t done = 0; done < pairs * chunks; done += ended.size()) {
    now = network->next_end();
    ended.clear();
    network->advance(now, ended);
    for (std::uint32_t token : ended) {
      if (left[token] > 0) start(now, token);
    }
  }
  print(fmt::format("{}: all-to-all, {} ranks, 470 MB per rank, {} chunk(s) per pair{}{}", backend, ranks,
                    chunks, chunks == 1 ? "" : (at_once ? " at once" : " in turn"),
                    spread > 0 ? fmt::format(", sizes +-{:.0f} %", 100 * spread) : ""),
        static_cast<double>(pairs * chunks), processor_seconds() - begin, now);
}

}  // namespace

int main() {
  for (BytesPerSecond cap : {kWorker, kPort}) {
    for (std::uint32_t puts : {1u, 10u, 50u}) closed_loop("native", 16, puts, 50'000, cap);
  }
  closed_loop("simgrid", 16, 50, 5'000, kWorker);
  closed_loop("endpoint-share", 16, 50, 50'000, kWorker);
  for (std::uint32_t ranks : {64u, 256u}) {
    closed_loop("native", ranks, 50, 10'000, kWorker);
    closed_loop("endpoint-share", ranks, 50, 50'000, kWorker);
  }
  closed_loop("endpoint-share", 768, 50, 50'000, kWorker);
  all_to_all("native", 16, 64, false, 0);
  all_to_all("simgrid", 16, 64, false, 0);
  all_to_all("native", 64, 1, true, 0.5);
  all_to_all("endpoint-share", 64, 1, true, 0.5);
  all_to_all("native", 256, 1, true, 0.5);
  all_to_all("endpoint-share", 256, 1, true, 0.5);
  all_to_all("native", 256, 1, true, 0);
  all_to_all("native", 256, 64, true, 0);
  all_to_all("native", 256, 64, false, 0);
}
