#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sim/core/registry.h"
#include "sim/network/network.h"

namespace a3sim::testing {

inline Time at(std::int64_t ps) { return Time(Duration(ps)); }

inline std::unique_ptr<Network> native(std::uint32_t ranks, std::int64_t egress, std::int64_t ingress) {
  return Registry<NetworkBackend>::get("native").create({ranks, {egress}, {ingress}});
}

// A flow and when it starts; its token is its place in the list.
struct Put {
  std::int64_t start;
  std::uint32_t src, dst;
  std::int64_t bytes, cap;
};

struct End {
  std::int64_t date;
  std::uint32_t token;
  friend bool operator==(const End&, const End&) = default;
};

// Runs flows with fixed starts, ordered by start; ends in the order in which the network hands them out.
inline std::vector<End> run(Network& network, const std::vector<Put>& puts) {
  std::vector<End> ends;
  std::vector<std::uint32_t> ended;
  std::size_t next = 0;
  while (ends.size() < puts.size()) {
    Time date = network.next_end();
    if (next < puts.size() && at(puts[next].start) < date) date = at(puts[next].start);
    ended.clear();
    network.advance(date, ended);
    for (std::uint32_t token : ended) ends.push_back({date.time_since_epoch().count(), token});
    for (; next < puts.size() && at(puts[next].start) == date; ++next) {
      const Put& p = puts[next];
      network.start(date,
                    {RankId{p.src}, RankId{p.dst}, {p.bytes}, {p.cap}, static_cast<std::uint32_t>(next)});
    }
  }
  return ends;
}

}  // namespace a3sim::testing
