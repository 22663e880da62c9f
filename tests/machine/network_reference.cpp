#include "tests/machine/network_reference.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <tuple>

using namespace a3sim;
using namespace a3sim::testing;

namespace {

// Max-min rates by definition, flow by flow: raise all rates
// together, stop those that meet a full port or their cap.
std::vector<long double> max_min(const std::vector<Put>& flows, const Capacities& capacities) {
  const std::size_t limits = capacities.of.size();
  std::vector<long double> rate(flows.size(), 0);
  std::vector<bool> fixed(flows.size(), false);
  while (std::count(fixed.begin(), fixed.end(), false) > 0) {
    std::vector<long double> left = capacities.of;
    std::vector<long double> rising(limits, 0);
    std::vector<bool> rises(limits, false);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      capacities.each(flows[i], [&](std::uint32_t limit, long double part) {
        left[limit] -= rate[i] * part;
        if (fixed[i]) return;
        rising[limit] += part;
        rises[limit] = true;
      });
    }
    long double step = std::numeric_limits<long double>::infinity();
    for (std::size_t l = 0; l < limits; ++l) {
      if (rises[l]) step = std::min(step, left[l] / rising[l]);
    }
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (!fixed[i]) step = std::min(step, flows[i].cap * 1e-12L - rate[i]);
    }
    const long double near = 1e-15L;
    std::vector<bool> full(limits);
    for (std::size_t l = 0; l < limits; ++l) full[l] = rises[l] && left[l] - step * rising[l] < near;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (fixed[i]) continue;
      rate[i] += step;
      fixed[i] = flows[i].cap * 1e-12L - rate[i] < near;
      capacities.each(flows[i],
                      [&](std::uint32_t limit, long double) { fixed[i] = fixed[i] || full[limit]; });
    }
  }
  return rate;
}

// Even shares of both ports, by definition.
std::vector<long double> endpoint_share(const std::vector<Put>& flows, const Capacities& capacities) {
  const auto to = [&](const Put& p) { return capacities.egress_ports + p.to; };
  std::vector<int> at_port(capacities.of.size(), 0);
  for (const Put& p : flows) ++at_port[p.from], ++at_port[to(p)];
  std::vector<long double> rate;
  for (const Put& p : flows) {
    rate.push_back(std::min(
        {p.cap * 1e-12L, capacities.of[p.from] / at_port[p.from], capacities.of[to(p)] / at_port[to(p)]}));
  }
  return rate;
}

}  // namespace

TEST_CASE("times of ends equal those of the fluid by definition, rounded up, on random open-loop loads") {
  using Row = std::tuple<std::string, RateRule>;
  const auto [backend, rule] =
      GENERATE(values<Row>({{"native", max_min}, {"islands", max_min}, {"endpoint-share", endpoint_share}}));
  const Ports ports = GENERATE(Ports::kEqual, Ports::kMixed, Ports::kChanging, Ports::kCables);
  if (ports == Ports::kCables && backend != "native") return;
  const long double noise = 0.01L;  // of a picosecond
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Load load = random_load(seed, ports);
    const auto exact = ends_by_definition(load, rule);
    const auto ends = run(*create(backend, load), load.puts, load.changes);
    REQUIRE(ends.size() == load.puts.size());
    std::int64_t before = 0;
    for (const End& e : ends) {
      INFO(backend << ", seed " << seed << ", flow " << e.token);
      REQUIRE(e.time >= exact[e.token] - noise);
      REQUIRE(e.time < exact[e.token] + 1 + noise);
      REQUIRE(e.time >= before);
      before = e.time;
    }
  }
}

TEST_CASE("no port and no cap is ever exceeded, and every byte is sent, on random loads") {
  const std::string backend = GENERATE(from_range(backends()));
  INFO(backend);
  for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
    const Load load = random_load(seed, Ports::kMixed);
    const auto network = create(backend, load.egress, load.ingress);
    std::vector<std::uint32_t> ended;
    std::int64_t now = 0;
    long double sent = 0, received = 0, asked = 0;
    std::size_t next = 0, done = 0;
    while (done < load.puts.size()) {
      std::int64_t time = network->next_end().time_since_epoch().count();
      if (next < load.puts.size()) time = std::min(time, load.puts[next].start);
      for (std::uint32_t p = 0; p < load.egress.size(); ++p) {
        REQUIRE(network->egress_rate(p) <= load.egress[p] * (1 + 1e-12));
        sent += network->egress_rate(p) * 1e-12L * (time - now);
      }
      for (std::uint32_t p = 0; p < load.ingress.size(); ++p) {
        REQUIRE(network->ingress_rate(p) <= load.ingress[p] * (1 + 1e-12));
        received += network->ingress_rate(p) * 1e-12L * (time - now);
      }
      now = time;
      ended.clear();
      network->advance(at(now), ended);
      for (std::uint32_t token : ended) {
        const Put& p = load.puts[token];
        const std::int64_t rate = std::min({p.cap, load.egress[p.from], load.ingress[p.to]});
        REQUIRE(now >= p.start + transfer_time({p.bytes}, {rate}).count());
      }
      done += ended.size();
      for (; next < load.puts.size() && load.puts[next].start == now; ++next) {
        const Put& p = load.puts[next];
        asked += p.bytes;
        network->start(at(now), {p.from, p.to, {p.bytes}, {p.cap}, static_cast<std::uint32_t>(next)});
      }
    }
    // Rates change up to a picosecond before the time at which they are seen.
    long double per_end = 0;
    for (std::int64_t rate : load.egress) per_end += rate * 1e-12L;
    for (std::int64_t rate : load.ingress) per_end += rate * 1e-12L;
    CHECK(std::abs(sent - asked) <= per_end * load.puts.size());
    CHECK(std::abs(sent - received) <= 1e-15L * per_end * now);
    for (std::uint32_t p = 0; p < load.egress.size(); ++p) CHECK(network->egress_rate(p) == 0);
  }
}

namespace {

// Bursts of flows over few of very many ports, in which others have been busy before and are again later.
Load load_of_few_ports(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  constexpr std::uint32_t kPorts = 60;
  const std::int64_t rates[] = {1 * kGB, 25 * kGB, 50 * kGB, 196 * kGB}, caps[] = {13 * kGB, 29 * kGB, kWide};
  Load load;
  for (std::uint32_t p = 0; p < kPorts; ++p) {
    load.egress.push_back(rates[below(4)]);
    load.ingress.push_back(rates[below(4)]);
  }
  std::int64_t time = 0;
  for (std::uint32_t burst = 0; burst < 12; ++burst) {
    const std::uint32_t first = below(kPorts), width = 1 + below(5);
    for (std::uint32_t n = 1 + below(8); n > 0; --n) {
      load.puts.push_back({time, (first + below(width)) % kPorts, (first + 7 * below(width)) % kPorts,
                           1 + below(2'000'000), caps[below(3)]});
      if (below(2) == 0) time += below(3'000'000);
    }
    if (below(3) == 0)
      load.changes.push_back({time, below(2) == 0 ? Change::What::kEgress : Change::What::kIngress,
                              below(kPorts), rates[below(4)]});
    time += below(120'000'000);
  }
  return load;
}

}  // namespace

// Solves end behind the last port in use (max_min_solve.cpp): here nearly all ports are unused at any time.
TEST_CASE("ports without flows change no time, and count again once flows come") {
  const long double noise = 0.01L;  // of a picosecond
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Load load = load_of_few_ports(seed);
    const auto exact = ends_by_definition(load, max_min);
    const auto ends = run(*create("native", load), load.puts, load.changes);
    REQUIRE(ends.size() == load.puts.size());
    for (const End& e : ends) {
      INFO("seed " << seed << ", flow " << e.token);
      REQUIRE(e.time >= exact[e.token] - noise);
      REQUIRE(e.time < exact[e.token] + 1 + noise);
    }
  }
}

namespace {

// Bursts of flows of unlike caps over paths of many cables, most of which are never full.
Load load_of_many_cables(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  constexpr std::uint32_t kPorts = 8, kCables = 80, kPaths = 40;
  const std::int64_t rates[] = {5 * kGB, 20 * kGB, 28 * kGB, 28 * kGB, 100 * kGB};
  const std::int64_t caps[] = {3 * kGB, 7 * kGB, 14 * kGB, 29 * kGB, kWide};
  Load load;
  load.egress.assign(kPorts, kPort);
  load.ingress.assign(kPorts, kPort);
  for (std::uint32_t c = 0; c < kCables; ++c) load.cables.push_back(rates[below(5)]);
  load.paths.emplace_back();
  while (load.paths.size() < kPaths) {
    CablePath path;
    const std::uint32_t first = below(kCables), step = 1 + 2 * below(20), length = 1 + below(12),
                        whole = 1 + below(4);
    for (std::uint32_t i = 0; i < length; ++i)
      path.push_back({(first + i * step) % kCables, 1 + below(whole), whole});
    load.paths.push_back(path);
  }
  std::int64_t time = 0;
  for (std::uint32_t burst = 0; burst < 6; ++burst) {
    for (std::uint32_t n = 4 + below(20); n > 0; --n) {
      load.puts.push_back(
          {time, below(kPorts), below(kPorts), 1 + below(2'000'000), caps[below(5)], below(kPaths)});
      if (below(2) == 0) time += below(3'000'000);
    }
    if (below(2) == 0) load.changes.push_back({time, Change::What::kCable, below(kCables), rates[below(5)]});
    time += below(60'000'000);
  }
  return load;
}

}  // namespace

// Solves end once all flows are held (cable_max_min_solve.cpp), and look at what follows for what comes too late.
TEST_CASE("cables that are not full change no time, and count once flows fill them") {
  const long double noise = 0.01L;  // of a picosecond
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Load load = load_of_many_cables(seed);
    const auto exact = ends_by_definition(load, max_min);
    const auto ends = run(*create("native", load), load.puts, load.changes);
    REQUIRE(ends.size() == load.puts.size());
    for (const End& e : ends) {
      INFO("seed " << seed << ", flow " << e.token);
      REQUIRE(e.time >= exact[e.token] - noise);
      REQUIRE(e.time < exact[e.token] + 1 + noise);
    }
  }
}
