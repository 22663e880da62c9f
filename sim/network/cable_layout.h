#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/registry.h"
#include "sim/core/units.h"
#include "sim/network/network.h"

namespace a3sim {

// A cable in one direction: both directions of a cable are two of them.
struct Cable {
  std::string from,
      to;  // a host or a switch: "host3", "leaf0", "spine7"; of a link whose ends are not known its name, and ""
  std::string level;  // "host-leaf", "leaf-spine": what reports sum up and whatif scales
  BytesPerSecond rate{};

  std::string name() const { return to.empty() ? from : from + "->" + to; }
};

// The cables of one plane, and which of them lie between two hosts. A host is where a die's port is plugged in. Two
// hosts may have several ways between them, all as short as any; each has a number below ways().
class CableLayout {
 public:
  virtual ~CableLayout() = default;

  std::uint32_t hosts() const { return hosts_; }
  const std::vector<Cable>& cables() const { return cables_; }

  // The file that describes it beside the configuration; empty: none does.
  const std::string& file() const { return file_; }

  // How many ways there are from one host to another one; at least 1.
  virtual std::uint32_t ways(std::uint32_t from, std::uint32_t to) const = 0;
  // Appends the cables of one way, from the first to the last.
  virtual void append_way(std::uint32_t from, std::uint32_t to, std::uint32_t way,
                          std::vector<std::uint32_t>& cables) const = 0;
  // The way that the topology's own static routing takes.
  virtual std::uint32_t given_way(std::uint32_t from, std::uint32_t to) const = 0;

 protected:
  std::uint32_t hosts_ = 0;
  std::vector<Cable> cables_;
  std::string file_;
};

// Reads a layout of one kind from its mapping `network.topology.<plane>`; one file each in topologies/, registered by the
// name that `kind` gives. Notes what is wrong; the layout that it returns is harmless then.
struct TopologyKind {
  static constexpr std::string_view kKind = "topology";
  std::unique_ptr<CableLayout> (*read)(const Config& config);
};
using TopologyKinds = Registry<TopologyKind>;

// No layout has more hosts or cables, and no two hosts more ways between them.
inline constexpr std::int64_t kMostHosts = 1 << 16;
inline constexpr std::int64_t kMostCables = 1 << 20;
inline constexpr std::int64_t kMostWays = 1 << 12;

// How the bytes between two hosts are spread over the ways between them.
struct RouteRule {
  enum class Kind : std::uint8_t {
    kEven,   // evenly over all ways, as ideal adaptive routing would
    kGiven,  // the topology's own static routing
    kHash    // each message over `flows` ways that a hash of hosts and seed draws, as ECMP would
  };
  Kind kind = Kind::kEven;
  std::uint64_t seed = 1;
  std::uint32_t flows = 1;
};
constexpr auto names_of(RouteRule::Kind) {
  return std::to_array<std::string_view>({"even", "given", "hash"});
}

// Reads `network.routes.<plane>`: a kind's name, or a mapping with `kind` and, of a hash, `seed` and `flows`.
RouteRule read_route_rule(const Config& routes, std::string_view plane);

// The cables between two hosts under a rule, each with its part of the bytes; no cable twice, ordered by number. Ways
// with a dead cable are left out: an even split and a hash spread over those that are left. Throws InputError where none
// is left, or where the topology's own way is dead.
CablePath cable_path(const CableLayout& layout, std::uint32_t from, std::uint32_t to, const RouteRule& rule,
                     const std::vector<bool>& dead = {});

}  // namespace a3sim
