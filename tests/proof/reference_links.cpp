#include "tests/proof/reference_links.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace a3sim::reference {
namespace {

constexpr long double kNoise = 1e-3L;         // picoseconds
constexpr long double kMostOfMemory = 0.99L;  // that ports get; the rest is for tasks

long double per_ps(BytesPerSecond rate) { return static_cast<long double>(rate.count) * 1e-12L; }

}  // namespace

Links::Links(const Hardware& hardware, const Program& program, const RunOptions& options, std::uint32_t ranks)
    : hardware_(hardware),
      program_(program),
      collective_(options.transport == Transport::kCollective),
      ranks_(ranks) {
  for (std::uint32_t r = 0; r < ranks; ++r) dies_.push_back(options.rank(RankId{r}).die);
  const std::size_t kinds = hardware.fabric.planes.size() + 1;
  used_.assign(kinds, false);
  for (std::uint32_t a = 0; a < ranks; ++a) {
    for (std::uint32_t b = 0; b < ranks; ++b) {
      if (a != b) used_[port_kind(level(a, b).plane)] = true;
    }
  }
  ports_.assign(kinds * ranks * 2, 1);
  for (std::uint32_t p = 0; p < hardware.fabric.planes.size(); ++p) {
    const Hardware::Fabric::Plane& plane = hardware.fabric.planes[p];
    for (std::uint32_t r = 0; r < ranks; ++r) {
      ports_[port(p, r, false)] = per_ps(together(plane) ? program.collective.rate : plane.egress);
      ports_[port(p, r, true)] = per_ps(together(plane) ? program.collective.rate : plane.ingress);
    }
  }
  shared_out_ = ports_;
}

const Hardware::Fabric::Level& Links::level(std::uint32_t src, std::uint32_t dst) const {
  for (const Hardware::Fabric::Level& level : hardware_.fabric.levels) {
    if (level.dies == kNone || dies_[src] / level.dies == dies_[dst] / level.dies) return level;
  }
  throw std::logic_error("two dies lie beyond the last level");
}

Duration Links::farthest() const {
  Duration most{};
  for (std::uint32_t a = 0; a < ranks_; ++a) {
    for (std::uint32_t b = 0; b < ranks_; ++b) {
      if (a != b) most = std::max(most, latency(a, b));
    }
  }
  return most;
}

bool Links::together(const Hardware::Fabric::Plane& plane) const {
  return collective_ && std::min(plane.egress, plane.ingress) >= program_.collective.rate;
}

std::size_t Links::port_kind(std::uint32_t plane) const {
  return together(hardware_.fabric.planes[plane]) ? hardware_.fabric.planes.size() : plane;
}

std::size_t Links::port(std::uint32_t plane, std::uint32_t rank, bool in) const {
  return (port_kind(plane) * ranks_ + rank) * 2 + (in ? 1 : 0);
}

void Links::start(std::uint32_t rank, std::uint32_t worker, const Task& put) {
  const Hardware::Fabric::Level& route = level(rank, put.dst);
  Flow flow;
  flow.from = port(route.plane, rank, false);
  flow.to = port(route.plane, put.dst, true);
  flow.most =
      per_ps(collective_ ? program_.collective.rate : hardware_.fabric.put_per_worker) / route.payload;
  if (!collective_ && !put.whole_lines) flow.most *= hardware_.fabric.unaligned;
  flow.rank = rank;
  flow.worker = worker;
  flow.put = &put;
  // Whole bytes on the ports, of which `payload` are the put's.
  flow.left = std::ceil(static_cast<double>(put.bytes) / route.payload);
  flows_.push_back(flow);
}

std::int64_t Links::next_end() const {
  long double next = std::numeric_limits<long double>::infinity();
  for (const Flow& f : flows_) next = std::min(next, now_ + f.left / f.rate);
  return std::isinf(next) ? std::numeric_limits<std::int64_t>::max() : std::llrint(std::ceil(next - kNoise));
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> Links::advance(std::int64_t time) {
  const auto to = static_cast<long double>(time);
  while (!flows_.empty()) {
    long double passes = std::numeric_limits<long double>::infinity();
    for (const Flow& f : flows_) passes = std::min(passes, f.left / f.rate);
    const bool ends = now_ + passes <= to + kNoise;
    if (!ends) passes = to - now_;
    now_ += passes;
    for (auto f = flows_.begin(); f != flows_.end();) {
      f->left -= f->rate * passes;
      const auto next = std::next(f);
      if (f->left <= f->rate * kNoise) left_.splice(left_.end(), flows_, f);
      f = next;
    }
    if (!ends) break;
    solve();
  }
  now_ = to;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> whose;
  for (const Flow& f : left_) whose.emplace_back(f.rank, f.worker);
  left_.clear();
  return whose;
}

void Links::solve() {
  std::vector<PortUser*> users;
  for (Flow& f : flows_) users.push_back(&f);
  share_ports(users, shared_out_);
}

Links::Load Links::load(std::uint32_t rank, bool in) const {
  Load load;
  for (const Flow& f : flows_) {
    if ((in ? f.put->dst : f.rank) != rank) continue;
    load.bytes += static_cast<long double>(f.put->bytes);
    load.hbm += in ? f.put->hbm_there : f.put->hbm_here;
  }
  return load;
}

// Returns what each of a rank's ports carries.
std::vector<long double> Links::carried(std::uint32_t rank, bool in) const {
  std::vector<long double> rates(used_.size(), 0);
  for (const Flow& f : flows_) {
    for (std::size_t kind = 0; kind < used_.size(); ++kind)
      if ((in ? f.to : f.from) == (kind * ranks_ + rank) * 2 + (in ? 1 : 0)) rates[kind] += f.rate;
  }
  return rates;
}

std::array<long double, 2> Links::limits(std::uint32_t rank, const Hardware::MemorySystem& memory) const {
  const std::vector<long double> out = carried(rank, false), in = carried(rank, true);
  const long double of_out = load(rank, false).part(), of_in = load(rank, true).part();
  const std::array<long double, 3> most{kMostOfMemory * per_ps(memory.l2_read),
                                        kMostOfMemory * per_ps(memory.l2_write),
                                        kMostOfMemory * per_ps(memory.hbm_read)};
  // What the ports take of each resource if none is above its limit.
  const auto needs = [&](long double out_most, long double in_most) {
    std::array<long double, 3> need{};
    for (std::size_t kind = 0; kind < used_.size(); ++kind) {
      need[0] += std::min(out[kind], out_most);
      need[1] += std::min(in[kind], in_most);
      need[2] += std::min(out[kind], out_most) * of_out + std::min(in[kind], in_most) * of_in;
    }
    return need;
  };
  constexpr long double kInfinite = std::numeric_limits<long double>::infinity();
  // Halves the interval in which a resource gets full.
  const auto highest = [&](std::size_t resource, const auto& need_at) {
    if (need_at(kInfinite)[resource] <= most[resource] * (1 + 1e-9L)) return kInfinite;
    long double below = 0, above = 1e6L;  // bytes a picosecond
    for (int i = 0; i < 200; ++i) {
      const long double level = (below + above) / 2;
      (need_at(level)[resource] <= most[resource] ? below : above) = level;
    }
    return below;
  };
  const long double l2_out = highest(0, [&](long double level) { return needs(level, kInfinite); });
  const long double l2_in = highest(1, [&](long double level) { return needs(kInfinite, level); });
  const long double hbm =
      highest(2, [&](long double level) { return needs(std::min(level, l2_out), std::min(level, l2_in)); });
  return {std::min(l2_out, hbm), std::min(l2_in, hbm)};
}

void Links::share(const Hardware::MemorySystem& memory) {
  shared_out_ = ports_;
  for (std::uint32_t round = 0; round <= ranks_; ++round) {
    solve();
    std::vector<std::array<long double, 2>> limit;
    long double lowest = std::numeric_limits<long double>::infinity();
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      limit.push_back(limits(r, memory));
      lowest = std::min({lowest, limit[r][0], limit[r][1]});
    }
    if (std::isinf(lowest)) return;
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      if (std::min(limit[r][0], limit[r][1]) > lowest * (1 + 1e-6L)) continue;
      for (const bool in : {false, true}) {
        const std::vector<long double> rates = carried(r, in);
        for (std::size_t kind = 0; kind < used_.size(); ++kind) {
          if (rates[kind] > limit[r][in ? 1 : 0])
            shared_out_[(kind * ranks_ + r) * 2 + (in ? 1 : 0)] = limit[r][in ? 1 : 0];
        }
      }
    }
  }
  solve();
}

std::array<long double, 3> Links::takes(std::uint32_t rank) const {
  constexpr std::int64_t kPiece = 8192;  // of a put, under way at once
  long double out = 0, in = 0, held = 0;
  for (const Flow& f : flows_) {
    if (f.rank == rank) out += f.rate;
    if (f.rank == rank && !collective_)
      held += static_cast<long double>(std::min<std::int64_t>(f.put->bytes, kPiece));
    if (f.put->dst == rank) in += f.rate;
  }
  const Hardware::MemorySystem& memory = hardware_.memory;
  const long double room = static_cast<long double>(memory.in_flight.count);
  const long double waiting = room > 0 ? held / room * per_ps(memory.l2_read) : 0;
  return {out + waiting, in, out * load(rank, false).part() + in * load(rank, true).part()};
}

}  // namespace a3sim::reference
