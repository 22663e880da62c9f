// Compares the same all-to-alls in SimGrid, as its users write them (s4u, Debian's package), and in a3sim's
// networks: processor time and memory of a whole process, and when the last byte arrives.
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xbt/log.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "sim/core/registry.h"
#include "sim/network/network.h"

using namespace a3sim;
namespace s4u = simgrid::s4u;

namespace {

constexpr BytesPerSecond kPort{196'000'000'000};  // of one die
constexpr std::int64_t kBytesPerRank = 470'000'000;
constexpr double kSpread = 0.5;  // of uneven sizes
constexpr rlim_t kPatience = 120;

struct Work {
  std::uint32_t ranks;
  bool even;

  // Returns the bytes of every pair, by source, beginning with the next rank.
  std::vector<std::int64_t> sizes() const {
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> factor(1 - kSpread, 1 + kSpread);
    std::vector<std::int64_t> bytes;
    for (std::uint32_t pair = 0; pair < ranks * (ranks - 1); ++pair)
      bytes.push_back(
          std::llround(static_cast<double>(kBytesPerRank) / (ranks - 1) * (even ? 1 : factor(random))));
    return bytes;
  }
  std::uint32_t to(std::uint32_t from, std::uint32_t k) const { return (from + k) % ranks; }
};

// Runs a star of hosts, each with a link up and one down. One SimGrid process starts all transfers and
// waits for them.
double run_s4u(const Work& work) {
  xbt_log_control_set("root.thres:warning");
  s4u::Engine engine("peer");
  for (const char* setting : {"network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0"})
    s4u::Engine::set_config(std::string(setting));
  s4u::NetZone* star = s4u::create_star_zone("star");
  std::vector<s4u::Host*> hosts;
  for (std::uint32_t r = 0; r < work.ranks; ++r) {
    s4u::Host* host = star->create_host(fmt::format("{}", r), 1.0);
    auto* const point = host->get_netpoint();
    const auto port = [&](const char* side) {
      return s4u::LinkInRoute(
          star->create_link(fmt::format("{}{}", r, side), static_cast<double>(kPort.count))
              ->set_latency(0)
              ->seal());
    };
    star->add_route(point, nullptr, nullptr, nullptr, {port("up")}, false);
    star->add_route(nullptr, point, nullptr, nullptr, {port("down")}, false);
    hosts.push_back(host);
  }
  star->seal();
  s4u::Actor::create("driver", hosts.front(), [&] {
    std::vector<s4u::CommPtr> transfers;
    const std::vector<std::int64_t> sizes = work.sizes();
    std::size_t pair = 0;
    for (std::uint32_t from = 0; from < work.ranks; ++from) {
      for (std::uint32_t k = 1; k < work.ranks; ++k)
        transfers.push_back(s4u::Comm::sendto_async(hosts[from], hosts[work.to(from, k)],
                                                    static_cast<std::uint64_t>(sizes[pair++])));
    }
    for (const s4u::CommPtr& transfer : transfers) transfer->wait();
  });
  engine.run();
  return 1e3 * s4u::Engine::get_clock();
}

double run_ours(const std::string& backend, const Work& work) {
  const auto network = Registry<NetworkBackend>::get(backend).create(
      {std::vector(work.ranks, kPort), std::vector(work.ranks, kPort)});
  const std::vector<std::int64_t> sizes = work.sizes();
  std::uint32_t pair = 0;
  for (std::uint32_t from = 0; from < work.ranks; ++from) {
    for (std::uint32_t k = 1; k < work.ranks; ++k, ++pair)
      network->start(Time{}, {from, work.to(from, k), Bytes{sizes[pair]}, kPort, pair});
  }
  Time now{};
  std::vector<std::uint32_t> ended;
  while (ended.size() < sizes.size()) {
    now = network->next_end();
    network->advance(now, ended);
  }
  return milliseconds(now.time_since_epoch());
}

// Runs in a separate process with a limit of processor time.
void measure(const std::string& who, const Work& work) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{kPatience, kPatience};
    setrlimit(RLIMIT_CPU, &limit);
    const double end = who == "s4u" ? run_s4u(work) : run_ours(who, work);
    fmt::print("{:>5} {:>7} {:<15} {:>12.6f}", work.ranks, work.even ? "equal" : "uneven", who, end);
    std::fflush(stdout);
    _exit(EXIT_SUCCESS);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS) {
    const bool late = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
    fmt::print("{:>5} {:>7} {:<15} {}\n", work.ranks, work.even ? "equal" : "uneven", who,
               late ? fmt::format("not within {} s", kPatience) : "failed");
    return;
  }
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  fmt::print(" {:>12.3f} {:>10}\n", seconds(usage.ru_utime) + seconds(usage.ru_stime),
             usage.ru_maxrss / 1024);
}

}  // namespace

int main() {
  fmt::print("ranks   sizes who             simulated ms  processor s  memory MB\n");
  for (const std::uint32_t ranks : {16U, 64U, 256U}) {
    for (const bool even : {true, false}) {
      for (const char* who : {"s4u", "simgrid", "native", "endpoint-share"}) measure(who, {ranks, even});
    }
  }
}
