#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/network/cable_layout.h"

namespace a3sim {
namespace {

// A torus: hosts in a grid whose opposite ends are connected. Routes correct one dimension after another, by
// the shorter direction. Half way around an even ring both directions are equally short; these are the ways
// over which routes may spread.
class Torus final : public CableLayout {
 public:
  Torus(std::vector<std::uint32_t> sizes, BytesPerSecond rate) : sizes_(std::move(sizes)) {
    hosts_ = std::accumulate(sizes_.begin(), sizes_.end(), 1U, std::multiplies<>());
    for (std::uint32_t host = 0; host < hosts_; ++host) {
      for (std::uint32_t d = 0; d < sizes_.size(); ++d) {
        for (const bool up : {true, false}) {
          cables_.push_back({fmt::format("host{}", host), fmt::format("host{}", neighbour(host, d, up)),
                             fmt::format("dimension{}", d), rate});
        }
      }
    }
  }
  std::uint32_t ways(std::uint32_t from, std::uint32_t to) const override {
    std::uint32_t ways = 1;
    for (std::uint32_t d = 0; d < sizes_.size(); ++d) ways *= both_ways(from, to, d) ? 2 : 1;
    return ways;
  }
  void append_way(std::uint32_t from, std::uint32_t to, std::uint32_t way,
                  std::vector<std::uint32_t>& cables) const override {
    for (std::uint32_t d = 0; d < sizes_.size(); ++d) {
      const std::uint32_t size = sizes_[d], ahead = (place(to, d) + size - place(from, d)) % size;
      bool up = 2 * ahead <= size;
      std::uint32_t steps = up ? ahead : size - ahead;
      if (both_ways(from, to, d)) {
        up = way % 2 == 0;
        way /= 2;
      }
      for (; steps > 0; --steps) {
        cables.push_back((from * static_cast<std::uint32_t>(sizes_.size()) + d) * 2 + (up ? 0 : 1));
        from = neighbour(from, d, up);
      }
    }
  }
  std::uint32_t given_way(std::uint32_t, std::uint32_t) const override { return 0; }

 private:
  std::uint32_t step(std::uint32_t d) const {
    return std::accumulate(sizes_.begin(), sizes_.begin() + d, 1U, std::multiplies<>());
  }
  std::uint32_t place(std::uint32_t host, std::uint32_t d) const { return host / step(d) % sizes_[d]; }
  std::uint32_t neighbour(std::uint32_t host, std::uint32_t d, bool up) const {
    const std::uint32_t size = sizes_[d], at = place(host, d), next = (at + (up ? 1 : size - 1)) % size;
    return host + next * step(d) - at * step(d);
  }
  bool both_ways(std::uint32_t from, std::uint32_t to, std::uint32_t d) const {
    const std::uint32_t ahead = (place(to, d) + sizes_[d] - place(from, d)) % sizes_[d];
    return sizes_[d] > 2 && 2 * ahead == sizes_[d];
  }

  std::vector<std::uint32_t> sizes_;
};

// Reads `{kind: torus, sizes: [{hosts: 4}, {hosts: 4}, {hosts: 2}], rate: 50 GB/s}`. Host numbers grow
// fastest in the first dimension.
std::unique_ptr<CableLayout> read_torus(const Config& config) {
  std::vector<std::uint32_t> sizes;
  double hosts = 1;
  for (const Config& size : config.maps("sizes")) {
    sizes.push_back(static_cast<std::uint32_t>(size.integer("hosts", 2, kMostHosts)));
    size.finish();
    hosts *= sizes.back();
  }
  const BytesPerSecond rate = config.rate("rate");
  if (sizes.empty() || sizes.size() > 6 || hosts > kMostHosts) {
    config.error(
        "sizes",
        fmt::format("expected up to six dimensions, as in [{{hosts: 4}}, {{hosts: 4}}], of at most {} "
                    "hosts in all",
                    kMostHosts));
    return nullptr;
  }
  return std::make_unique<Torus>(std::move(sizes), rate);
}

A3SIM_REGISTER(TopologyKind, "torus", "a grid of hosts whose ends are joined", TopologyKind{read_torus});

}  // namespace
}  // namespace a3sim
