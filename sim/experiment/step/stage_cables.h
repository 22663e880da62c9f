#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "sim/experiment/step/collectives.h"
#include "sim/runtime/cable_planes.h"
#include "sim/runtime/shared_cables.h"

namespace a3sim {

// The cables between switches under a training step's exchanges. One die stands for each stage, so that the bytes of its peers
// are no flows: here all dies of the stage send as it does at the same time. An exchange is no faster than the cable that then
// carries most for its rate, and exchanges of all streams and stages that meet on a cable share it.
class StageCables {
 public:
  enum class Exchange : std::uint8_t { kRing, kToAll };

  // A stage has `dies` of them, from its first on; groups that do not lie wholly within it are left out. Both references must
  // outlive it.
  StageCables(const CablePlanes& planes, const Hardware::Fabric& fabric, std::uint32_t dies);

  // Lowers the rates of a group's transfers (ring_transfers(), exchange_transfers()) to what cables leave, where every
  // group of the stage exchanges in the same way. Returns the way of each transfer over cables, for share(); 0: it uses none.
  std::vector<std::uint32_t> limit(std::uint32_t stage, DieGroup group, Exchange exchange,
                                   std::vector<StreamTransfer>& transfers);
  // Does the same for transfers from each die of a stage to its counterpart in another one.
  std::vector<std::uint32_t> limit_send(std::uint32_t from, std::uint32_t to,
                                        std::vector<StreamTransfer>& transfers);
  // Writes the cables that ways may fill, and puts paths in place of the ways in `shared.of_transfer`.
  void share(SharedCables& shared) const;

  // The cable that has held up transfers most, and the part of their rate that it left; 1: none has.
  struct Hold {
    std::string cable;
    double part = 1;
  };
  const Hold& hold() const { return hold_; }

  // The cable that takes longest for all that was limited so far, and how long, if it never waits; zero: nothing uses cables.
  struct Load {
    std::string cable;
    Duration time{};
  };
  Load fullest() const;

 private:
  // Bytes on each cable of a plane for each byte that every die sends, in the order of the cables.
  using CableBytes = std::vector<std::pair<std::uint32_t, double>>;
  // One stage's concurrent transfers to another, or to itself.
  struct Way {
    std::size_t plane = 0;
    std::uint32_t from = 0, to = 0;
    std::uint32_t number = 0;  // from 1 on
    CableBytes bytes;
    double sent = 0;  // bytes of each die in all transfers so far
  };
  // A transfer on a way: a step has few kinds of exchanges, and each of them many times.
  struct Sent {
    std::uint32_t way = 0, level = 0;
    std::int64_t bytes = 0, rate = 0;
    friend auto operator<=>(const Sent&, const Sent&) = default;
  };

  Way& way_of(std::size_t plane, std::uint32_t stage, DieGroup group, Exchange exchange, std::uint32_t level);
  Way& way_between(std::size_t plane, std::uint32_t from, std::uint32_t to);
  Way& number(Way& way, std::size_t plane, std::uint32_t from, std::uint32_t to);
  void add_path(std::size_t plane, std::uint32_t from, std::uint32_t to, double part);
  CableBytes take_paths(std::size_t plane);
  void limit_on(std::size_t plane, const std::vector<Way*>& ways, std::vector<StreamTransfer*>& transfers,
                const std::vector<std::uint32_t>& levels);
  std::vector<std::int64_t> rates_left(std::size_t plane, const std::vector<Sent>& sent);

  const CablePlanes& planes_;
  const Hardware::Fabric& fabric_;
  std::uint32_t dies_;
  std::vector<CableRates> rates_;  // by plane of `planes`
  // By plane, stage, members and stride of the group, exchange and level.
  std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t, std::uint32_t, Exchange, std::uint32_t>, Way>
      known_;
  std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t>, Way> sends_;  // by plane and both stages
  std::vector<const Way*> ways_;                                                // by number, less 1
  // By plane and transfers of an exchange: the rates that cables leave.
  std::map<std::pair<std::size_t, std::vector<Sent>>, std::vector<std::int64_t>> left_;
  Hold hold_;
  std::vector<double> on_cable_;           // by cable, zero between two sums
  std::vector<std::uint32_t> times_;       // by cable, how many ways of a path use it; zero between two paths
  std::vector<std::uint32_t> way_cables_;  // of all ways of a path
};

}  // namespace a3sim
