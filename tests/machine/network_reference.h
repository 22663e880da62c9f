#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "tests/machine/network_fixture.h"

// The fluid model by definition: flow by flow, in long doubles, not optimised.
namespace a3sim::testing {

// Capacities in bytes per picosecond: egress ports, then ingress ports, then cables. Says what a flow takes
// of each.
struct Capacities {
  std::uint32_t egress_ports, ports;
  std::vector<long double> of;
  const std::vector<CablePath>* paths;
  long double& capacity(const Change& change) {
    const std::uint32_t first[] = {0, egress_ports, ports};
    return of[first[static_cast<std::size_t>(change.what)] + change.number];
  }
  // Calls take(limit, part) for each port and cable of a flow.
  template <class Take>
  void each(const Put& put, const Take& take) const {
    take(put.from, 1.0L);
    take(egress_ports + put.to, 1.0L);
    if (put.path == 0) return;
    for (const CableShare& share : (*paths)[put.path])
      take(ports + share.cable, static_cast<long double>(share.parts) / share.whole);
  }
};

// Returns the rate of each flow, given all running flows.
using RateRule = std::function<std::vector<long double>(const std::vector<Put>&, const Capacities&)>;

inline Capacities capacities_of(const Load& load) {
  Capacities c{static_cast<std::uint32_t>(load.egress.size()),
               static_cast<std::uint32_t>(load.egress.size() + load.ingress.size()),
               {},
               &load.paths};
  for (const auto* rates : {&load.egress, &load.ingress, &load.cables}) {
    for (std::int64_t rate : *rates) c.of.push_back(rate * 1e-12L);
  }
  return c;
}

// Returns the exact times of ends, by token.
inline std::vector<long double> ends_by_definition(const Load& load, const RateRule& rates_of) {
  const std::vector<Put>& puts = load.puts;
  Capacities capacities = capacities_of(load);
  std::vector<long double> left, end(puts.size(), -1);
  for (const Put& p : puts) left.push_back(p.bytes);
  long double now = 0;
  std::size_t started = 0, changed = 0;
  for (;;) {
    std::vector<Put> running;
    std::vector<std::size_t> token;
    for (std::size_t i = 0; i < started; ++i) {
      if (end[i] < 0) running.push_back(puts[i]), token.push_back(i);
    }
    const auto rate = rates_of(running, capacities);
    long double step = std::numeric_limits<long double>::infinity();
    if (started < puts.size()) step = puts[started].start - now;
    if (changed < load.changes.size()) step = std::min(step, load.changes[changed].time - now);
    for (std::size_t i = 0; i < running.size(); ++i) step = std::min(step, left[token[i]] / rate[i]);
    if (step == std::numeric_limits<long double>::infinity()) return end;
    now += step;
    for (std::size_t i = 0; i < running.size(); ++i) {
      left[token[i]] -= rate[i] * step;
      if (left[token[i]] < 1e-9L) end[token[i]] = now;
    }
    while (started < puts.size() && puts[started].start <= now) ++started;
    for (; changed < load.changes.size() && load.changes[changed].time <= now; ++changed) {
      const Change& c = load.changes[changed];
      capacities.capacity(c) = c.capacity * 1e-12L;
    }
  }
}

// The ports of a random load: equal, different, or changing. kCables adds paths over cables.
enum class Ports { kEqual, kMixed, kChanging, kCables };

// Adds cables, paths of up to four of them, some evenly split, and puts that take these paths.
inline void add_cables(Load& load, std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::int64_t rates[] = {5 * kGB, 30 * kGB, 30 * kGB, 100 * kGB, 10'000 * kGB};
  const std::uint32_t cables = 1 + below(12);
  for (std::uint32_t c = 0; c < cables; ++c) load.cables.push_back(rates[below(5)]);
  load.paths.emplace_back();
  for (std::uint32_t p = 1 + below(10); p > 0; --p) {
    CablePath path;
    for (std::uint32_t n = std::min<std::uint32_t>(cables, 1 + below(4)); path.size() < n;) {
      const CableShare share{below(cables), 1, below(3) == 0 ? 1 + below(7) : 1};
      const auto same = [&](const CableShare& other) { return other.cable == share.cable; };
      if (std::none_of(path.begin(), path.end(), same)) path.push_back(share);
    }
    load.paths.push_back(path);
  }
  for (Put& put : load.puts) put.path = below(load.paths.size());
}

inline Load random_load(std::uint64_t seed, Ports ports) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  // kMixed: from a slow port of 1 GB/s to one that never binds; some are equal.
  const auto capacity = [&] {
    const std::int64_t rates[] = {1 * kGB, 25 * kGB, 50 * kGB, 196 * kGB, 10'000 * kGB};
    return below(3) == 0 ? (20 + below(100)) * kGB : rates[below(5)];
  };
  Load load;
  const auto count = static_cast<std::size_t>(2 + below(7));
  const std::size_t ingress_ports = ports == Ports::kEqual ? count : static_cast<std::size_t>(1 + below(8));
  load.egress.assign(count, (50 + below(100)) * kGB);
  load.ingress.assign(ingress_ports, seed % 2 ? load.egress[0] : (50 + below(100)) * kGB);
  if (ports == Ports::kMixed || ports == Ports::kChanging) {
    for (std::int64_t& rate : load.egress) rate = capacity();
    for (std::int64_t& rate : load.ingress) rate = capacity();
  }
  const std::int64_t caps[] = {13 * kGB, 29 * kGB, 1000 * kGB};
  std::int64_t time = 0;
  for (std::int64_t n = 5 + below(60); n > 0; --n) {
    if (below(3) > 0) time += below(20'000'000);                                  // some start together
    const std::int64_t bytes = below(4) == 0 ? 1'000'000 : 1 + below(2'000'000);  // some are equal
    load.puts.push_back({time, static_cast<std::uint32_t>(below(count)),
                         static_cast<std::uint32_t>(below(ingress_ports)), bytes, caps[below(3)]});
    if (ports == Ports::kChanging && below(3) == 0) {
      const bool egress = below(2) == 0;
      const auto port = static_cast<std::uint32_t>(below(egress ? count : ingress_ports));
      load.changes.push_back({time + below(3) * below(10'000'000),
                              egress ? Change::What::kEgress : Change::What::kIngress, port, capacity()});
    }
  }
  if (ports == Ports::kCables) {
    add_cables(load, random);
    for (std::int64_t n = below(4); n > 0; --n) {
      load.changes.push_back({below(time + 1), Change::What::kCable,
                              static_cast<std::uint32_t>(below(load.cables.size())), (1 + below(60)) * kGB});
    }
  }
  std::sort(load.changes.begin(), load.changes.end(),
            [](const Change& a, const Change& b) { return a.time < b.time; });
  return load;
}

}  // namespace a3sim::testing
