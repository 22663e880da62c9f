#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/registry.h"
#include "sim/network/network.h"

namespace a3sim::testing {

inline constexpr std::int64_t kGB = 1'000'000'000;
inline constexpr std::int64_t kPort = 100 * kGB;  // 0.1 bytes per picosecond
inline constexpr std::int64_t kWide = 1000 * kGB;
inline constexpr std::int64_t kMs = 1'000'000'000;  // picoseconds

inline std::int64_t transfer(std::int64_t bytes, std::int64_t rate) {
  return transfer_time({bytes}, {rate}).count();
}

inline Time at(std::int64_t ps) { return Time(Duration(ps)); }

// A flow and its start. Its token is its index in the list.
struct Put {
  std::int64_t start;
  std::uint32_t from, to;  // ports
  std::int64_t bytes, cap;
  std::uint32_t path = 0;
};

// A new capacity of a port or cable, and its time.
struct Change {
  enum class What : std::uint8_t { kEgress, kIngress, kCable };
  std::int64_t time;
  What what;
  std::uint32_t number;
  std::int64_t capacity;
};

// Flows with fixed starts, and changes of ports, each list ordered by time.
struct Load {
  std::vector<std::int64_t> egress, ingress;
  std::vector<Put> puts;
  std::vector<Change> changes = {};
  std::vector<std::int64_t> cables = {};
  std::vector<CablePath> paths = {};
};

struct End {
  std::int64_t time;
  std::uint32_t token;
  friend bool operator==(const End&, const End&) = default;
};

inline std::unique_ptr<Network> create(std::string_view backend, const std::vector<std::int64_t>& egress,
                                       const std::vector<std::int64_t>& ingress) {
  NetworkSpec spec;
  for (std::int64_t rate : egress) spec.egress.push_back({rate});
  for (std::int64_t rate : ingress) spec.ingress.push_back({rate});
  return Registry<NetworkBackend>::get(backend).create(spec);
}

inline std::unique_ptr<Network> create(std::string_view backend, std::uint32_t ports, std::int64_t egress,
                                       std::int64_t ingress) {
  return create(backend, std::vector(ports, egress), std::vector(ports, ingress));
}

inline std::unique_ptr<Network> create(std::string_view backend, const Load& load) {
  NetworkSpec spec;
  for (std::int64_t rate : load.egress) spec.egress.push_back({rate});
  for (std::int64_t rate : load.ingress) spec.ingress.push_back({rate});
  for (std::int64_t rate : load.cables) spec.cables.push_back({rate});
  spec.paths = load.paths;
  return Registry<NetworkBackend>::get(backend).create(spec);
}

// Returns all registered backends. One of them allows only one network at a time.
inline std::vector<std::string> backends() {
  std::vector<std::string> names;
  for (const auto& [name, item] : Registry<NetworkBackend>::all()) names.push_back(name);
  return names;
}
// Returns the backends whose rates are max-min fair.
inline std::vector<std::string> max_min_backends() {
  std::vector<std::string> names = backends();
  std::erase(names, "endpoint-share");
  return names;
}

// Runs a load. Returns ends in the order in which the network reports them.
inline std::vector<End> run(Network& network, const std::vector<Put>& puts,
                            const std::vector<Change>& changes = {}) {
  std::vector<End> ends;
  std::vector<std::uint32_t> ended;
  std::size_t next = 0, change = 0;
  while (ends.size() < puts.size()) {
    Time time = network.next_end();
    if (next < puts.size()) time = std::min(time, at(puts[next].start));
    if (change < changes.size()) time = std::min(time, at(changes[change].time));
    ended.clear();
    network.advance(time, ended);
    for (std::uint32_t token : ended) ends.push_back({time.time_since_epoch().count(), token});
    for (; change < changes.size() && at(changes[change].time) == time; ++change) {
      const Change& c = changes[change];
      if (c.what == Change::What::kEgress) network.set_egress(time, c.number, {c.capacity});
      if (c.what == Change::What::kIngress) network.set_ingress(time, c.number, {c.capacity});
      if (c.what == Change::What::kCable) network.set_cable(time, c.number, {c.capacity});
    }
    for (; next < puts.size() && at(puts[next].start) == time; ++next) {
      const Put& p = puts[next];
      network.start(time, {p.from, p.to, {p.bytes}, {p.cap}, static_cast<std::uint32_t>(next), p.path});
    }
  }
  return ends;
}

}  // namespace a3sim::testing
