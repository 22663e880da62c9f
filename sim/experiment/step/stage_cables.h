#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "sim/experiment/step/collectives.h"
#include "sim/runtime/cable_planes.h"

namespace a3sim {

// What the cables between switches leave of the rates of a training step's exchanges. One die stands for each stage, so that the
// bytes of its peers are no flows: here all dies of the stage send as it does at the same time, and no exchange is faster
// than the cable that then carries most for its rate. Exchanges of other streams and stages at that time share ports with it,
// and cables do not know of them.
class StageCables {
 public:
  enum class Exchange : std::uint8_t { kRing, kToAll };

  // A stage has `dies` of them, from its first on; groups that do not lie wholly within it are left out. Both references must
  // outlive it.
  StageCables(const CablePlanes& planes, const Hardware::Fabric& fabric, std::uint32_t dies);

  // Lowers the rates of a group's transfers (ring_transfers(), exchange_transfers()) to what cables leave, where every
  // group of the stage exchanges likewise.
  void limit(std::uint32_t stage, DieGroup group, Exchange exchange, std::vector<StreamTransfer>& transfers);
  // The same of transfers from each die of a stage to that of another one.
  void limit_send(std::uint32_t from, std::uint32_t to, std::vector<StreamTransfer>& transfers);

  // The cable that has held up transfers most, and the part of their rate that it left; 1: none has.
  struct Hold {
    std::string cable;
    double part = 1;
  };
  const Hold& hold() const { return hold_; }

 private:
  // Bytes on each cable of a plane for each byte that every die sends.
  using CableBytes = std::map<std::uint32_t, double>;

  const CableBytes& bytes_of(std::size_t plane, std::uint32_t stage, DieGroup group, Exchange exchange,
                             std::uint32_t level);
  void add_path(std::size_t plane, std::uint32_t from, std::uint32_t to, double part,
                CableBytes& bytes) const;
  void limit_on(std::size_t plane, const std::vector<const CableBytes*>& bytes,
                std::vector<StreamTransfer*>& transfers, const std::vector<std::uint32_t>& levels);

  const CablePlanes& planes_;
  const Hardware::Fabric& fabric_;
  std::uint32_t dies_;
  std::vector<CableRates> rates_;  // by plane of `planes`
  // By plane, stage, members and stride of the group, exchange and level.
  std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t, std::uint32_t, Exchange, std::uint32_t>,
           CableBytes>
      known_;
  Hold hold_;
};

}  // namespace a3sim
