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
CablePath scaled_path(const std::vector<std::pair<std::uint32_t, double>>& bytes,
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
  std::size_t cables = 0;
  for (const CablePlane& plane : planes_) cables = std::max(cables, plane.layout->cables().size());
  on_cable_.resize(cables);
  times_.resize(cables);
}

void StageCables::add_path(std::size_t plane, std::uint32_t from, std::uint32_t to, double part) {
  const CablePlane& cables = planes_[plane];
  const auto add = [&](std::uint32_t cable, std::uint32_t parts, std::uint32_t whole) {
    on_cable_[cable] += part * parts / whole;
  };
  if (cables.rule.kind != RouteRule::Kind::kEven || !rates_[plane].dead.empty()) {
    for (const CableShare& share : cable_path(*cables.layout, from, to, cables.rule, rates_[plane].dead))
      add(share.cable, share.parts, share.whole);
    return;
  }
  // The same for all ways in equal parts, of which a step has millions.
  const std::uint32_t ways = cables.layout->ways(from, to);
  way_cables_.clear();
  for (std::uint32_t way = 0; way < ways; ++way) cables.layout->append_way(from, to, way, way_cables_);
  for (const std::uint32_t cable : way_cables_) ++times_[cable];
  for (const std::uint32_t cable : way_cables_) {
    if (times_[cable] == 0) continue;
    const std::uint32_t common = std::gcd(times_[cable], ways);
    add(cable, times_[cable] / common, ways / common);
    times_[cable] = 0;
  }
}

// Returns the sum of the paths that were added.
StageCables::CableBytes StageCables::take_paths(std::size_t plane) {
  CableBytes bytes;
  for (std::uint32_t c = 0; c < planes_[plane].layout->cables().size(); ++c) {
    if (on_cable_[c] > 0) bytes.emplace_back(c, on_cable_[c]);
    on_cable_[c] = 0;
  }
  return bytes;
}

StageCables::Way& StageCables::number(Way& way, std::size_t plane, std::uint32_t from, std::uint32_t to) {
  ways_.push_back(&way);
  way.plane = plane;
  way.from = from;
  way.to = to;
  way.number = static_cast<std::uint32_t>(ways_.size());
  return way;
}

StageCables::Way& StageCables::way_of(std::size_t plane, std::uint32_t stage, DieGroup group,
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
               1.0 / static_cast<double>(peers.size()));
    }
  }
  way.bytes = take_paths(plane);
  return way;
}

StageCables::Way& StageCables::way_between(std::size_t plane, std::uint32_t from, std::uint32_t to) {
  const auto [found, is_new] = sends_.try_emplace({plane, from, to});
  if (!is_new) return found->second;
  Way& way = number(found->second, plane, from, to);
  for (std::uint32_t die = 0; die < dies_; ++die) add_path(plane, from * dies_ + die, to * dies_ + die, 1);
  way.bytes = take_paths(plane);
  return way;
}

// All of the transfers flow at the same time. Each takes as long, at least, as the fullest of its cables.
std::vector<std::int64_t> StageCables::rates_left(std::size_t plane, const std::vector<Sent>& sent) {
  const auto on_cables = [&](const Sent& one) {
    return static_cast<double>(one.bytes) / fabric_.levels[one.level].payload;
  };
  for (const Sent& one : sent)
    for (const auto& [cable, part] : ways_[one.way - 1]->bytes) on_cable_[cable] += on_cables(one) * part;
  std::vector<std::int64_t> rates;
  for (const Sent& one : sent) {
    rates.push_back(one.rate);
    double longest = 0;
    std::uint32_t fullest = 0;
    for (const auto& [cable, part] : ways_[one.way - 1]->bytes) {
      const double time = on_cable_[cable] / static_cast<double>(rates_[plane].rates[cable].count);
      if (time > longest) {
        longest = time;
        fullest = cable;
      }
    }
    if (longest == 0) continue;
    const Hardware::Fabric::Plane& ports = fabric_.planes[planes_[plane].plane];
    const double payload = fabric_.levels[one.level].payload;
    const double alone = std::min(static_cast<double>(one.rate),
                                  payload * static_cast<double>(std::min(ports.egress, ports.ingress).count));
    const double left = static_cast<double>(one.bytes) / longest;
    constexpr double kNoise = 1e-9;
    if (left >= alone * (1 - kNoise)) continue;
    rates.back() = std::max<std::int64_t>(1, std::llround(left));
    if (left / alone < hold_.part) hold_ = {planes_[plane].layout->cables()[fullest].name(), left / alone};
  }
  for (const Sent& one : sent)
    for (const auto& [cable, part] : ways_[one.way - 1]->bytes) on_cable_[cable] = 0;
  return rates;
}

void StageCables::limit_on(std::size_t plane, const std::vector<Way*>& ways,
                           std::vector<StreamTransfer*>& transfers,
                           const std::vector<std::uint32_t>& levels) {
  std::vector<Sent> sent;
  for (std::size_t t = 0; t < transfers.size(); ++t) {
    const StreamTransfer& transfer = *transfers[t];
    ways[t]->sent += static_cast<double>(transfer.bytes.count) / fabric_.levels[levels[t]].payload;
    sent.push_back({ways[t]->number, levels[t], transfer.bytes.count, transfer.rate.count});
  }
  const auto [found, is_new] = left_.try_emplace({plane, std::move(sent)});
  if (is_new) found->second = rates_left(plane, found->first.second);
  for (std::size_t t = 0; t < transfers.size(); ++t) transfers[t]->rate = {found->second[t]};
}

std::vector<std::uint32_t> StageCables::limit(std::uint32_t stage, DieGroup group, Exchange exchange,
                                              std::vector<StreamTransfer>& transfers) {
  std::vector<std::uint32_t> numbers(transfers.size(), 0);
  for (std::size_t p = 0; p < planes_.size(); ++p) {
    std::vector<Way*> ways;
    std::vector<StreamTransfer*> on_plane;
    std::vector<std::uint32_t> levels;
    for (std::size_t t = 0; t < transfers.size(); ++t) {
      StreamTransfer& transfer = transfers[t];
      if (transfer.level == kNone || fabric_.levels[transfer.level].plane != planes_[p].plane) continue;
      Way& way = way_of(p, stage, group, exchange, transfer.level);
      numbers[t] = way.number;
      ways.push_back(&way);
      on_plane.push_back(&transfer);
      levels.push_back(transfer.level);
    }
    limit_on(p, ways, on_plane, levels);
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
      Way& way = way_between(p, from, to);
      numbers[t] = way.number;
      std::vector<StreamTransfer*> one{&transfers[t]};
      limit_on(p, {&way}, one, {level});
    }
  }
  return numbers;
}

StageCables::Load StageCables::fullest() const {
  Load fullest;
  std::vector<std::map<std::uint32_t, double>> carried(planes_.size());
  for (const Way* const way : ways_)
    for (const auto& [cable, part] : way->bytes) carried[way->plane][cable] += way->sent * part;
  for (std::size_t p = 0; p < planes_.size(); ++p) {
    for (const auto& [cable, bytes] : carried[p]) {
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
  std::vector<std::map<std::uint32_t, double>> most(planes_.size());
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
