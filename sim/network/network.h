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
  BytesPerSecond cap;      // of its sender; positive
  std::uint32_t token;     // chosen by the caller, returned at the end
};

// Converts bytes per second to bytes per picosecond, the unit used with dates.
inline double per_picosecond(BytesPerSecond rate) { return static_cast<double>(rate.count) * 1e-12; }

// The positive capacity of each port: all that a fluid model needs of a topology.
struct NetworkSpec {
  std::vector<BytesPerSecond> egress, ingress;
};

// A fluid network: the backend divides ports among flows, within the ports' capacities and the flows' caps.
// Rates change only when a flow starts or ends or a capacity changes. The caller adds latency. Violations of
// this contract (an unknown port, a rate or size that is not positive, a date that decreases) throw
// std::logic_error.
class Network {
 public:
  virtual ~Network() = default;

  // Starts a flow at `now`. `now` must not decrease over all calls.
  virtual void start(Time now, const Flow& flow) = 0;
  // Returns the date of the next end, or Time::max() without flows. Never earlier than the exact date.
  virtual Time next_end() = 0;
  // Advances to `now` and appends the tokens of flows that have ended by then, in order of (date, start).
  virtual void advance(Time now, std::vector<std::uint32_t>& ended) = 0;
  // Sets a port's capacity from `now` on: a device whose memory is saturated lowers what its ports take.
  virtual void set_egress(Time now, std::uint32_t port, BytesPerSecond capacity) = 0;
  virtual void set_ingress(Time now, std::uint32_t port, BytesPerSecond capacity) = 0;
  // Return the bytes per second that leave and enter through a port now.
  virtual double egress_rate(std::uint32_t port) = 0;
  virtual double ingress_rate(std::uint32_t port) = 0;
  virtual std::string_view name() const = 0;
};

// A network backend. Each is one file, registered by name.
class NetworkBackend {
 public:
  static constexpr std::string_view kKind = "network backend";
  virtual ~NetworkBackend() = default;
  virtual std::unique_ptr<Network> create(const NetworkSpec& spec) const = 0;
};

}  // namespace a3sim
