#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/core/units.h"

namespace a3sim {

// A flow of bytes through one egress and one ingress port. Egress and ingress ports are numbered separately.
// The caller decides what a port is (such as a die's link to a plane) and which pairs make sense.
struct Flow {
  std::uint32_t from, to;  // egress port, ingress port
  Bytes bytes;             // positive
  BytesPerSecond cap;      // rate of its driver; positive
  std::uint32_t token;     // chosen by the caller, returned at the end
  std::uint32_t path = 0;  // path between the ports: an index into NetworkSpec::paths
};

// Converts bytes per second to bytes per picosecond, the unit used with times.
inline double per_picosecond(BytesPerSecond rate) { return static_cast<double>(rate.count) * 1e-12; }

// A cable between the ports carries `parts` of every `whole` bytes of the flows that take a path.
struct CableShare {
  std::uint32_t cable;
  std::uint32_t parts = 1, whole = 1;
  friend bool operator==(const CableShare&, const CableShare&) = default;
};
using CablePath = std::vector<CableShare>;

// A topology as a fluid model sees it: the capacities of ports and of the cables between them, all positive,
// and the cables of each path.
struct NetworkSpec {
  std::vector<BytesPerSecond> egress, ingress;
  std::vector<BytesPerSecond> cables{};
  // Path 0 has no cables; a network without cables need not list it. No path uses a cable twice.
  std::vector<CablePath> paths{};
};

// A fluid network. It shares ports and cables among flows, never above a capacity or a flow's cap. Rates
// change only when a flow starts or ends or a capacity changes. The caller adds latency. Throws
// std::logic_error for an unknown port, cable or path, a rate or size that is not positive, or a time that
// decreases.
class Network {
 public:
  virtual ~Network() = default;

  // Starts a flow at `now`. `now` must not decrease over all calls.
  virtual void start(Time now, const Flow& flow) = 0;
  // Returns the time of the next end, or Time::max() without flows. Never earlier than the exact time.
  virtual Time next_end() = 0;
  // Advances to `now` and appends the tokens of flows that have ended by then, in order of (time, start).
  virtual void advance(Time now, std::vector<std::uint32_t>& ended) = 0;
  // Sets a port's capacity from `now` on: a device whose memory is saturated lowers what its ports take.
  virtual void set_egress(Time now, std::uint32_t port, BytesPerSecond capacity) = 0;
  virtual void set_ingress(Time now, std::uint32_t port, BytesPerSecond capacity) = 0;
  virtual void set_cable(Time now, std::uint32_t cable, BytesPerSecond capacity) = 0;
  // Return the bytes per second that leave and enter through a port now.
  virtual double egress_rate(std::uint32_t port) = 0;
  virtual double ingress_rate(std::uint32_t port) = 0;
  // Returns the bytes per second that a cable carries now.
  virtual double cable_rate(std::uint32_t cable) = 0;
  virtual std::string_view name() const = 0;
};

// A network backend. Each is one file, registered by name.
class NetworkBackend {
 public:
  static constexpr std::string_view kKind = "network backend";
  virtual ~NetworkBackend() = default;
  // True if flows also share cables between ports. Other backends throw InputError for a specification with
  // cables.
  virtual bool takes_cables() const { return false; }
  virtual std::unique_ptr<Network> create(const NetworkSpec& spec) const = 0;
};

}  // namespace a3sim
