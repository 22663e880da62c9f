#include "sim/experiment/step/stage_cables.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/network/cable_reduction.h"

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

// Returns the path of a way: its bytes on each cable as a part of the most that any way has there, in 2^20 parts, rounded
// down so that what fills a cable exactly does not overfill it.
CablePath scaled_path(const std::map<std::uint32_t, double>& bytes,
                      const std::map<std::uint32_t, double>& most,
                      const std::map<std::uint32_t, std::uint32_t>& numbers) {
  constexpr std::uint32_t kWhole = 1U << 20;
  constexpr double kRounding = 1e-6;
  CablePath path;
  for (const auto& [cable, sent] : bytes) {
    const double exact = sent / most.at(cable) * kWhole;
    const std::uint32_t parts = std::max(1U, static_cast<std::uint32_t>(exact + kRounding));
    const std::uint32_t divisor = std::gcd(parts, kWhole);
    path.push_back({numbers.at(cable), parts / divisor, kWhole / divisor});
  }
  return path;
}

}  // namespace

StageCables::StageCables(const CablePlanes& planes, const Hardware::Fabric& fabric, std::uint32_t dies)
    : planes_(planes), fabric_(fabric), dies_(dies) {
  for (const CablePlane& plane : planes_) rates_.push_back(damaged_rates(*plane.layout, plane.damages));
  carried_.resize(planes_.size());
}

void StageCables::add_path(std::size_t plane, std::uint32_t from, std::uint32_t to, double part,
                           CableBytes& bytes) const {
  for (const CableShare& share :
       cable_path(*planes_[plane].layout, from, to, planes_[plane].rule, rates_[plane].dead))
    bytes[share.cable] += part * share.parts / share.whole;
}

StageCables::Way& StageCables::number(Way& way, std::size_t plane, std::uint32_t from, std::uint32_t to) {
  ways_.push_back(&way);
  way.plane = plane;
  way.from = from;
  way.to = to;
  way.number = static_cast<std::uint32_t>(ways_.size());
  return way;
}

const StageCables::Way& StageCables::way_of(std::size_t plane, std::uint32_t stage, DieGroup group,
                                            Exchange exchange, std::uint32_t level) {
  const auto [found, is_new] = known_.try_emplace({plane, stage, group.ranks, group.stride, exchange, level});
  if (!is_new) return found->second;
  Way& way = number(found->second, plane, stage, stage);
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
               1.0 / static_cast<double>(peers.size()), way.bytes);
    }
  }
  return way;
}

const StageCables::Way& StageCables::way_between(std::size_t plane, std::uint32_t from, std::uint32_t to) {
  const auto [found, is_new] = sends_.try_emplace({plane, from, to});
  if (!is_new) return found->second;
  Way& way = number(found->second, plane, from, to);
  for (std::uint32_t die = 0; die < dies_; ++die)
    add_path(plane, from * dies_ + die, to * dies_ + die, 1, way.bytes);
  return way;
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
  for (const auto& [cable, sent] : carried) carried_[plane][cable] += sent;
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

std::vector<std::uint32_t> StageCables::limit(std::uint32_t stage, DieGroup group, Exchange exchange,
                                              std::vector<StreamTransfer>& transfers) {
  std::vector<std::uint32_t> numbers(transfers.size(), 0);
  for (std::size_t p = 0; p < planes_.size(); ++p) {
    std::vector<const CableBytes*> bytes;
    std::vector<StreamTransfer*> on_plane;
    std::vector<std::uint32_t> levels;
    for (std::size_t t = 0; t < transfers.size(); ++t) {
      StreamTransfer& transfer = transfers[t];
      if (transfer.level == kNone || fabric_.levels[transfer.level].plane != planes_[p].plane) continue;
      const Way& way = way_of(p, stage, group, exchange, transfer.level);
      numbers[t] = way.number;
      bytes.push_back(&way.bytes);
      on_plane.push_back(&transfer);
      levels.push_back(transfer.level);
    }
    limit_on(p, bytes, on_plane, levels);
  }
  return numbers;
}

std::vector<std::uint32_t> StageCables::limit_send(std::uint32_t from, std::uint32_t to,
                                                   std::vector<StreamTransfer>& transfers) {
  std::vector<std::uint32_t> numbers(transfers.size(), 0);
  const std::uint32_t first = from * dies_, other = to * dies_;
  for (std::size_t p = 0; p < planes_.size(); ++p) {
    for (std::size_t t = 0; t < transfers.size(); ++t) {
      std::uint32_t level = 0;
      while (level + 1 < fabric_.levels.size() &&
             first / fabric_.levels[level].dies != other / fabric_.levels[level].dies)
        ++level;
      if (fabric_.levels[level].plane != planes_[p].plane) continue;
      const Way& way = way_between(p, from, to);
      numbers[t] = way.number;
      std::vector<StreamTransfer*> one{&transfers[t]};
      limit_on(p, {&way.bytes}, one, {level});
    }
  }
  return numbers;
}

StageCables::Load StageCables::fullest() const {
  Load fullest;
  for (std::size_t p = 0; p < planes_.size(); ++p) {
    for (const auto& [cable, bytes] : carried_[p]) {
      const double rate = static_cast<double>(rates_[p].rates[cable].count);
      const auto time = Duration(static_cast<std::int64_t>(bytes * 1e12 / rate));
      if (time > fullest.time) fullest = {planes_[p].layout->cables()[cable].name(), time};
    }
  }
  return fullest;
}

// A flow of the network is that of one die, and its path counts the bytes of all that send like it. A share is at most 1, so
// capacities are divided by the most bytes of a way.
void StageCables::share(SharedCables& shared) const {
  std::uint32_t stages = 1;
  for (const Way* const way : ways_) stages = std::max({stages, way->from + 1, way->to + 1});
  std::vector<BytesPerSecond> ports;
  for (const CablePlane& plane : planes_) {
    const Hardware::Fabric::Plane& limits = fabric_.planes[plane.plane];
    ports.insert(ports.end(), stages, std::max(limits.egress, limits.ingress));
  }
  std::vector<CableBytes> most(planes_.size());
  for (const Way* const way : ways_)
    for (const auto& [cable, bytes] : way->bytes)
      most[way->plane][cable] = std::max(most[way->plane][cable], bytes);
  std::vector<BytesPerSecond> capacities;
  std::vector<std::map<std::uint32_t, std::uint32_t>> numbers(planes_.size());
  for (std::size_t p = 0; p < planes_.size(); ++p) {
    for (const auto& [cable, bytes] : most[p]) {
      numbers[p][cable] = static_cast<std::uint32_t>(capacities.size());
      const double scaled = std::ceil(static_cast<double>(rates_[p].rates[cable].count) / bytes);
      capacities.push_back({std::max<std::int64_t>(1, static_cast<std::int64_t>(scaled))});
    }
  }
  std::vector<PortPair> pairs;
  for (const Way* const way : ways_) {
    const auto first = static_cast<std::uint32_t>(way->plane) * stages;
    pairs.push_back(
        {first + way->from, first + way->to, scaled_path(way->bytes, most[way->plane], numbers[way->plane])});
  }
  ReducedCables reduced = reduce_cables(capacities, pairs, ports, ports);
  if (reduced.cables.empty()) {
    shared.of_transfer.clear();
    return;
  }
  shared.cables = std::move(reduced.cables);
  shared.paths = std::move(reduced.paths);
  for (std::vector<std::uint32_t>& paths : shared.of_transfer)
    for (std::uint32_t& path : paths) path = path == 0 ? 0 : reduced.path[path - 1];
}

}  // namespace a3sim
