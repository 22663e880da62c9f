#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/network/cable_layout.h"

namespace a3sim {
namespace {

// Full meshes: a cable in each direction between any two hosts of one. Hosts of different meshes do not meet: their routes
// go over another plane.
class FullMesh final : public CableLayout {
 public:
  FullMesh(std::uint32_t hosts, std::uint32_t meshes, BytesPerSecond rate) : mesh_(hosts) {
    hosts_ = hosts * meshes;
    for (std::uint32_t first = 0; first < hosts_; first += hosts) {
      for (std::uint32_t from = first; from < first + hosts; ++from) {
        for (std::uint32_t to = first; to < first + hosts; ++to) {
          if (from != to)
            cables_.push_back({fmt::format("host{}", from), fmt::format("host{}", to), "mesh", rate});
        }
      }
    }
  }
  std::uint32_t ways(std::uint32_t, std::uint32_t) const override { return 1; }
  void append_way(std::uint32_t from, std::uint32_t to, std::uint32_t,
                  std::vector<std::uint32_t>& cables) const override {
    if (from / mesh_ != to / mesh_)
      throw InputError(
          fmt::format("network.topology: no cable leads from host {} to host {}, which lie in two meshes: "
                      "larger meshes, or a level of the hardware's fabric whose plane has other cables",
                      from, to));
    const std::uint32_t place = to % mesh_;
    cables.push_back(from * (mesh_ - 1) + place - (place > from % mesh_ ? 1 : 0));
  }
  std::uint32_t given_way(std::uint32_t, std::uint32_t) const override { return 0; }

 private:
  std::uint32_t mesh_;
};

// `{kind: full, hosts: 8, rate: 28 GB/s, meshes: 2}`.
std::unique_ptr<CableLayout> read_full_mesh(const Config& config) {
  constexpr std::int64_t kMost = 1024;
  const auto hosts = static_cast<std::uint32_t>(config.integer("hosts", 2, kMost));
  const std::int64_t most = std::min(kMostHosts / hosts, kMostCables / (std::int64_t{hosts} * hosts));
  const auto meshes =
      static_cast<std::uint32_t>(config.integer("meshes", 1, std::max<std::int64_t>(1, most), 1));
  return std::make_unique<FullMesh>(hosts, meshes, config.rate("rate"));
}

A3SIM_REGISTER(TopologyKind, "full", "a cable between any two hosts", TopologyKind{read_full_mesh});

}  // namespace
}  // namespace a3sim
