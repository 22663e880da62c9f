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

// One direction of a cable; a cable in both directions is two of these.
struct Cable {
  std::string from,
      to;  // a host or a switch: "host3", "leaf0", "spine7". For a link with unknown ends: its name, and ""
  std::string level;  // "host-leaf", "leaf-spine": reports sum up, and whatif scales, all cables of a level
  BytesPerSecond rate{};

  std::string name() const { return to.empty() ? from : from + "->" + to; }
};

// The cables of one plane, and the ways between its hosts. A die's port is plugged into a host. Two hosts may
// have several ways between them, all equally short, numbered from 0 to ways() - 1.
class CableLayout {
 public:
  virtual ~CableLayout() = default;

  std::uint32_t hosts() const { return hosts_; }
  const std::vector<Cable>& cables() const { return cables_; }

  // Returns the file, other than the configuration, that describes the layout; empty if there is none.
  const std::string& file() const { return file_; }

  // Returns the number of ways from one host to another; at least 1.
  virtual std::uint32_t ways(std::uint32_t from, std::uint32_t to) const = 0;
  // Appends the cables of a way, from first to last.
  virtual void append_way(std::uint32_t from, std::uint32_t to, std::uint32_t way,
                          std::vector<std::uint32_t>& cables) const = 0;
  // Returns the way that the topology's own static routing takes.
  virtual std::uint32_t given_way(std::uint32_t from, std::uint32_t to) const = 0;

 protected:
  std::uint32_t hosts_ = 0;
  std::vector<Cable> cables_;
  std::string file_;
};

// Reads one kind of layout from its mapping `network.topology.<plane>`. One file each in topologies/,
// registered by the name that `kind` gives. Notes errors, and then returns a harmless layout.
struct TopologyKind {
  static constexpr std::string_view kKind = "topology";
  std::unique_ptr<CableLayout> (*read)(const Config& config);
};
using TopologyKinds = Registry<TopologyKind>;

// The largest numbers of hosts and cables in a layout, and of ways between two hosts.
inline constexpr std::int64_t kMostHosts = 1 << 16;
inline constexpr std::int64_t kMostCables = 1 << 20;
inline constexpr std::int64_t kMostWays = 1 << 12;

// Says how bytes between two hosts are spread over the ways between them.
struct RouteRule {
  enum class Kind : std::uint8_t {
    kEven,   // evenly over all ways, as ideal adaptive routing would
    kGiven,  // the topology's own static routing
    kHash    // each message over `flows` ways, drawn by a hash of hosts and seed, as ECMP would
  };
  Kind kind = Kind::kEven;
  std::uint64_t seed = 1;
  std::uint32_t flows = 1;
};
constexpr auto names_of(RouteRule::Kind) {
  return std::to_array<std::string_view>({"even", "given", "hash"});
}

// Reads `network.routes.<plane>`: the name of a kind, or a mapping with `kind` and, for a hash, `seed` and
// `flows`.
RouteRule read_route_rule(const Config& routes, std::string_view plane);

// Returns the cables between two hosts under a rule, each with its share of the bytes, ordered by number
// without repetition. Ways with a dead cable are left out: an even split and a hash use the remaining ones.
// Throws InputError if none remains, or if the topology's own way is dead.
CablePath cable_path(const CableLayout& layout, std::uint32_t from, std::uint32_t to, const RouteRule& rule,
                     const std::vector<bool>& dead = {});

}  // namespace a3sim
