#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/registry.h"
#include "sim/network/network.h"

namespace a3sim::testing {

inline Time at(std::int64_t ps) { return Time(Duration(ps)); }

// A flow and when it starts; its token is its place in the list.
struct Put {
  std::int64_t start;
  std::uint32_t from, to;  // ports
  std::int64_t bytes, cap;
};

// A port's new capacity, and from when.
struct Change {
  std::int64_t date;
  bool egress;
  std::uint32_t port;
  std::int64_t capacity;
};

// Flows with fixed starts through ports, both lists ordered by date.
struct Load {
  std::vector<std::int64_t> egress, ingress;
  std::vector<Put> puts;
  std::vector<Change> changes = {};
};

struct End {
  std::int64_t date;
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

// A native network with as many egress as ingress ports.
inline std::unique_ptr<Network> native(std::uint32_t ports, std::int64_t egress, std::int64_t ingress) {
  return create("native", std::vector(ports, egress), std::vector(ports, ingress));
}

// Runs a load; ends in the order in which the network hands them out.
inline std::vector<End> run(Network& network, const std::vector<Put>& puts,
                            const std::vector<Change>& changes = {}) {
  std::vector<End> ends;
  std::vector<std::uint32_t> ended;
  std::size_t next = 0, change = 0;
  while (ends.size() < puts.size()) {
    Time date = network.next_end();
    if (next < puts.size()) date = std::min(date, at(puts[next].start));
    if (change < changes.size()) date = std::min(date, at(changes[change].date));
    ended.clear();
    network.advance(date, ended);
    for (std::uint32_t token : ended) ends.push_back({date.time_since_epoch().count(), token});
    for (; change < changes.size() && at(changes[change].date) == date; ++change) {
      const Change& c = changes[change];
      if (c.egress) {
        network.set_egress(date, c.port, {c.capacity});
      } else {
        network.set_ingress(date, c.port, {c.capacity});
      }
    }
    for (; next < puts.size() && at(puts[next].start) == date; ++next) {
      const Put& p = puts[next];
      network.start(date, {p.from, p.to, {p.bytes}, {p.cap}, static_cast<std::uint32_t>(next)});
    }
  }
  return ends;
}

}  // namespace a3sim::testing
