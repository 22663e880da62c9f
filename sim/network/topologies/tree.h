#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/network/cable_layout.h"

namespace a3sim {

// A tree of switches in which every switch may have several parents: an extended generalised fat tree (Öhring, Ibel,
// Das, Kumar, "On generalized fat trees", IPPS 1995). A switch of level i (from 1) has `down` switches or hosts below
// it; what is below it has `up` parents at that level, and `cables` to each.
struct TreeLevel {
  std::uint32_t down = 1, up = 1, cables = 1;
  BytesPerSecond rate{};  // of one cable, each way
  std::string name;       // of its switches
};

class Tree final : public CableLayout {
 public:
  // `copies` trees beside one another share the hosts: each host is plugged into all of them. `places`: by host, the
  // place in the tree that it takes; none: its own number.
  explicit Tree(std::vector<TreeLevel> levels, std::uint32_t copies = 1,
                std::vector<std::uint32_t> places = {});

  // Hosts and cables of such a tree, before anything of its size is made; infinite where they are very many.
  static double hosts_of(const std::vector<TreeLevel>& levels);
  static double cables_of(const std::vector<TreeLevel>& levels, std::uint32_t copies);

  std::uint32_t ways(std::uint32_t from, std::uint32_t to) const override;
  void append_way(std::uint32_t from, std::uint32_t to, std::uint32_t way,
                  std::vector<std::uint32_t>& cables) const override;
  // Up to the parent that the destination's number says, level by level (D-mod-k), so that what goes to one host comes
  // down one way (Zahavi, "Fat-trees routing and node ordering providing contention free traffic for MPI global
  // collectives", J. Parallel Distrib. Comput. 72, 2012).
  std::uint32_t given_way(std::uint32_t from, std::uint32_t to) const override;

 private:
  // The parents that a way takes at each level, and the cables to these, up and down.
  struct Turn {
    std::uint32_t parent, up_cable, down_cable;
  };
  std::uint32_t place(std::uint32_t host) const { return places_.empty() ? host : places_[host]; }
  // The first level at which two places have a switch in common, from 1.
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
  std::vector<std::uint32_t>
      stems_;  // by level: switches that stand for one group of hosts: the product of `up`
  std::vector<std::uint32_t> first_;  // by copy and level: its first cable
  std::vector<std::uint32_t> ways_;   // by meeting level, in one copy
};

}  // namespace a3sim
