#include "sim/experiment/step/stage_cables.h"

#include <algorithm>
#include <cmath>

namespace a3sim {
namespace {

// The places in a group to which one of its members sends at a level of the fabric.
std::vector<std::uint32_t> peers_at(const GroupLevels& levels, std::uint32_t level, std::uint32_t place,
                                    StageCables::Exchange exchange) {
  const std::uint32_t unit = levels.members[level], nearer = level > 0 ? levels.members[level - 1] : 1;
  const std::uint32_t first = place / unit * unit;
  if (exchange == StageCables::Exchange::kRing) return {first + (place - first + nearer) % unit};
  std::vector<std::uint32_t> peers;
  for (std::uint32_t peer = first; peer < first + unit; ++peer)
    if (peer / nearer != place / nearer) peers.push_back(peer);
  return peers;
}

}  // namespace

StageCables::StageCables(const CablePlanes& planes, const Hardware::Fabric& fabric, std::uint32_t dies)
    : planes_(planes), fabric_(fabric), dies_(dies) {
  for (const CablePlane& plane : planes_) rates_.push_back(damaged_rates(*plane.layout, plane.damages));
}

void StageCables::add_path(std::size_t plane, std::uint32_t from, std::uint32_t to, double part,
                           CableBytes& bytes) const {
  for (const CableShare& share :
       cable_path(*planes_[plane].layout, from, to, planes_[plane].rule, rates_[plane].dead))
    bytes[share.cable] += part * share.parts / share.whole;
}

const StageCables::CableBytes& StageCables::bytes_of(std::size_t plane, std::uint32_t stage, DieGroup group,
                                                     Exchange exchange, std::uint32_t level) {
  const auto [found, is_new] = known_.try_emplace({plane, stage, group.ranks, group.stride, exchange, level});
  if (!is_new) return found->second;
  const GroupLevels levels = levels_of(fabric_, group);
  for (std::uint32_t die = 0; die < dies_; ++die) {
    const std::uint32_t place = die / group.stride % group.ranks;
    const std::uint32_t first = die - place * group.stride;
    if (first + (group.ranks - 1) * group.stride >= dies_) continue;
    std::vector<std::uint32_t> peers = peers_at(levels, level, place, exchange);
    std::erase_if(peers, [&](std::uint32_t peer) { return peer >= group.ranks || peer == place; });
    for (const std::uint32_t peer : peers) {
      const std::uint32_t stage_begin = stage * dies_;
      add_path(plane, stage_begin + die, stage_begin + first + peer * group.stride,
               1.0 / static_cast<double>(peers.size()), found->second);
    }
  }
  return found->second;
}

// All of the transfers flow at the same time. Each takes as long, at least, as the fullest of its cables.
void StageCables::limit_on(std::size_t plane, const std::vector<const CableBytes*>& bytes,
                           std::vector<StreamTransfer*>& transfers,
                           const std::vector<std::uint32_t>& levels) {
  const auto on_cables = [&](std::size_t t) {
    return static_cast<double>(transfers[t]->bytes.count) / fabric_.levels[levels[t]].payload;
  };
  std::map<std::uint32_t, double> carried;
  for (std::size_t t = 0; t < transfers.size(); ++t)
    for (const auto& [cable, part] : *bytes[t]) carried[cable] += on_cables(t) * part;
  for (std::size_t t = 0; t < transfers.size(); ++t) {
    StreamTransfer& transfer = *transfers[t];
    double longest = 0;
    std::uint32_t fullest = 0;
    for (const auto& [cable, part] : *bytes[t]) {
      const double time = carried[cable] / static_cast<double>(rates_[plane].rates[cable].count);
      if (time > longest) {
        longest = time;
        fullest = cable;
      }
    }
    if (longest == 0) continue;
    const Hardware::Fabric::Plane& ports = fabric_.planes[planes_[plane].plane];
    const double payload = fabric_.levels[levels[t]].payload;
    const double alone = std::min(static_cast<double>(transfer.rate.count),
                                  payload * static_cast<double>(std::min(ports.egress, ports.ingress).count));
    const double left = static_cast<double>(transfer.bytes.count) / longest;
    constexpr double kNoise = 1e-9;
    if (left >= alone * (1 - kNoise)) continue;
    transfer.rate = {std::max<std::int64_t>(1, std::llround(left))};
    if (left / alone < hold_.part) hold_ = {planes_[plane].layout->cables()[fullest].name(), left / alone};
  }
}

void StageCables::limit(std::uint32_t stage, DieGroup group, Exchange exchange,
                        std::vector<StreamTransfer>& transfers) {
  for (std::size_t p = 0; p < planes_.size(); ++p) {
    std::vector<const CableBytes*> bytes;
    std::vector<StreamTransfer*> on_plane;
    std::vector<std::uint32_t> levels;
    for (StreamTransfer& transfer : transfers) {
      if (transfer.level == kNone || fabric_.levels[transfer.level].plane != planes_[p].plane) continue;
      bytes.push_back(&bytes_of(p, stage, group, exchange, transfer.level));
      on_plane.push_back(&transfer);
      levels.push_back(transfer.level);
    }
    limit_on(p, bytes, on_plane, levels);
  }
}

void StageCables::limit_send(std::uint32_t from, std::uint32_t to, std::vector<StreamTransfer>& transfers) {
  const std::uint32_t first = from * dies_, other = to * dies_;
  for (std::size_t p = 0; p < planes_.size(); ++p) {
    for (StreamTransfer& transfer : transfers) {
      std::uint32_t level = 0;
      while (level + 1 < fabric_.levels.size() &&
             first / fabric_.levels[level].dies != other / fabric_.levels[level].dies)
        ++level;
      if (fabric_.levels[level].plane != planes_[p].plane) continue;
      CableBytes bytes;
      for (std::uint32_t die = 0; die < dies_; ++die) add_path(p, first + die, other + die, 1, bytes);
      std::vector<StreamTransfer*> one{&transfer};
      limit_on(p, {&bytes}, one, {level});
    }
  }
}

}  // namespace a3sim
