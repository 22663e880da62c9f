#include "sim/network/cable_reduction.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/core/ids.h"

namespace a3sim {
namespace {

struct Use {
  std::uint32_t pair, parts, whole;
  friend auto operator<=>(const Use&, const Use&) = default;
};

// Sums the most that some ports can put on a cable: the capacity of each, times the largest part that any of
// its pairs takes.
class PortLimit {
 public:
  explicit PortLimit(const std::vector<BytesPerSecond>& ports) : ports_(ports), part_(ports.size(), 0) {}
  void add(std::uint32_t port, double part) {
    if (part_[port] == 0) touched_.push_back(port);
    part_[port] = std::max(part_[port], part);
  }
  double take() {
    double sum = 0;
    for (const std::uint32_t port : touched_) {
      sum += part_[port] * static_cast<double>(ports_[port].count);
      part_[port] = 0;
    }
    touched_.clear();
    return sum;
  }

 private:
  const std::vector<BytesPerSecond>& ports_;
  std::vector<double> part_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace

ReducedCables reduce_cables(const std::vector<BytesPerSecond>& capacities, const std::vector<PortPair>& pairs,
                            const std::vector<BytesPerSecond>& egress,
                            const std::vector<BytesPerSecond>& ingress, const std::vector<bool>& kept) {
  // Rounding of sums of ports. A cable that they exactly fill cannot limit flows.
  constexpr double kNoise = 1e-12;
  std::vector<std::vector<Use>> uses(capacities.size());
  for (std::uint32_t p = 0; p < pairs.size(); ++p) {
    for (const CableShare& share : pairs[p].path) uses[share.cable].push_back({p, share.parts, share.whole});
  }
  ReducedCables reduced;
  reduced.represented.assign(capacities.size(), kNone);
  PortLimit out(egress), in(ingress);
  std::map<std::vector<Use>, std::uint32_t> known;  // remaining cables, by what they carry
  std::vector<std::uint32_t> order(capacities.size());
  for (std::uint32_t c = 0; c < order.size(); ++c) order[c] = c;
  // The narrowest comes first, so that it represents others that carry the same.
  std::ranges::stable_sort(order, {}, [&](std::uint32_t c) { return capacities[c].count; });
  for (const std::uint32_t c : order) {
    const bool stays = c < kept.size() && kept[c];
    if (uses[c].empty()) continue;
    for (const Use& use : uses[c]) {
      const double part = static_cast<double>(use.parts) / use.whole;
      out.add(pairs[use.pair].from, part);
      in.add(pairs[use.pair].to, part);
    }
    const double most = std::min(out.take(), in.take());
    if (!stays && most <= static_cast<double>(capacities[c].count) * (1 + kNoise)) continue;
    if (!stays) {
      const auto [same, is_new] =
          known.try_emplace(uses[c], static_cast<std::uint32_t>(reduced.cables.size()));
      if (!is_new) {
        reduced.represented[c] = same->second;
        continue;
      }
    }
    reduced.represented[c] = static_cast<std::uint32_t>(reduced.cables.size());
    reduced.cables.push_back(capacities[c]);
  }
  std::map<std::vector<std::pair<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>>, std::uint32_t>
      numbers;
  reduced.paths.emplace_back();
  numbers[{}] = 0;
  for (const PortPair& pair : pairs) {
    std::vector<std::pair<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>> key;
    for (const CableShare& share : pair.path) {
      if (const std::uint32_t cable = reduced.represented[share.cable]; cable != kNone)
        key.push_back({cable, {share.parts, share.whole}});
    }
    std::ranges::sort(key);
    key.erase(std::unique(key.begin(), key.end()), key.end());
    const auto [number, is_new] = numbers.try_emplace(key, static_cast<std::uint32_t>(reduced.paths.size()));
    if (is_new) {
      CablePath& path = reduced.paths.emplace_back();
      for (const auto& [cable, part] : key) path.push_back({cable, part.first, part.second});
    }
    reduced.path.push_back(number->second);
  }
  return reduced;
}

}  // namespace a3sim
