#include <fmt/format.h>

#include "sim/network/cable_layout.h"

namespace a3sim {
namespace {

// A full mesh: a cable in each direction between any two hosts.
class FullMesh final : public CableLayout {
 public:
  FullMesh(std::uint32_t hosts, BytesPerSecond rate) {
    hosts_ = hosts;
    for (std::uint32_t from = 0; from < hosts; ++from) {
      for (std::uint32_t to = 0; to < hosts; ++to) {
        if (from != to)
          cables_.push_back({fmt::format("host{}", from), fmt::format("host{}", to), "mesh", rate});
      }
    }
  }
  std::uint32_t ways(std::uint32_t, std::uint32_t) const override { return 1; }
  void append_way(std::uint32_t from, std::uint32_t to, std::uint32_t,
                  std::vector<std::uint32_t>& cables) const override {
    cables.push_back(from * (hosts_ - 1) + to - (to > from ? 1 : 0));
  }
  std::uint32_t given_way(std::uint32_t, std::uint32_t) const override { return 0; }
};

// `{kind: full, hosts: 8, rate: 28 GB/s}`.
std::unique_ptr<CableLayout> read_full_mesh(const Config& config) {
  constexpr std::int64_t kMost = 1024;
  const auto hosts = static_cast<std::uint32_t>(config.integer("hosts", 2, kMost));
  return std::make_unique<FullMesh>(hosts, config.rate("rate"));
}

A3SIM_REGISTER(TopologyKind, "full", "a cable between any two hosts", TopologyKind{read_full_mesh});

}  // namespace
}  // namespace a3sim
