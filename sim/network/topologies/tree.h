#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/network/cable_layout.h"

namespace a3sim {

// One level of a tree of switches, in which every switch may have several parents: an extended generalised
// fat tree (Öhring, Ibel, Das, Kumar, "On generalized fat trees", IPPS 1995). A switch of level i (from 1)
// has `down` switches or hosts below it. Each of these has `up` parents at level i, and `cables` to each.
struct TreeLevel {
  std::uint32_t down = 1, up = 1, cables = 1;
  BytesPerSecond rate{};  // of one cable, in each direction
  std::string name;       // name of its switches
};

class Tree final : public CableLayout {
 public:
  // `copies` parallel trees share the hosts: each host is plugged into all of them. `places`: the place of
  // each host in the tree; empty: its own number.
  explicit Tree(std::vector<TreeLevel> levels, std::uint32_t copies = 1,
                std::vector<std::uint32_t> places = {});

  // Return the numbers of hosts and cables of such a tree without building it; they may be infinite.
  static double hosts_of(const std::vector<TreeLevel>& levels);
  static double cables_of(const std::vector<TreeLevel>& levels, std::uint32_t copies);

  std::uint32_t ways(std::uint32_t from, std::uint32_t to) const override;
  void append_way(std::uint32_t from, std::uint32_t to, std::uint32_t way,
                  std::vector<std::uint32_t>& cables) const override;
  // Returns the way that goes up, level by level, to the parent that the destination's number selects
  // (D-mod-k), so that all traffic to a host comes down one way (Zahavi, "Fat-trees routing and node ordering
  // providing contention free traffic for MPI global collectives", J. Parallel Distrib. Comput. 72, 2012).
  std::uint32_t given_way(std::uint32_t from, std::uint32_t to) const override;

 private:
  // The parent that a way uses at one level, and the cables to it, up and down.
  struct Turn {
    std::uint32_t parent, up_cable, down_cable;
  };
  std::uint32_t place(std::uint32_t host) const { return places_.empty() ? host : places_[host]; }
  // Returns the lowest level (from 1) at which two places share a switch.
  std::uint32_t meeting_level(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t ways_at(std::uint32_t level) const { return ways_[level]; }
  std::uint32_t cable_up(std::uint32_t copy, std::uint32_t place, const std::vector<Turn>& turns,
                         std::uint32_t level, std::uint32_t cable) const;
  void add_level(std::uint32_t copy, std::uint32_t level);
  std::string node_name(std::uint32_t copy, std::uint32_t level, std::uint32_t number) const;

  std::vector<TreeLevel> levels_;
  std::uint32_t copies_;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> below_;  // by level: hosts under one switch; 1 at level 0
  // By level: the number of switches that serve one group of hosts: the product of `up`.
  std::vector<std::uint32_t> stems_;
  std::vector<std::uint32_t> first_;  // by copy and level: the first cable
  std::vector<std::uint32_t> ways_;   // by meeting level: the number of ways in one copy
};

}  // namespace a3sim
