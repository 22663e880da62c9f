#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/core/units.h"

namespace a3sim {

// Bytes on their way through one egress and one ingress port. Egress and ingress ports are numbered apart:
// what a port is (a die's link to a plane, say) is the caller's matter, and so is which pairs make sense.
struct Flow {
  std::uint32_t from, to;  // egress port, ingress port
  Bytes bytes;             // positive
  BytesPerSecond cap;      // of what drives it; positive
  std::uint32_t token;     // the caller's, given back at the end
};

// Rates come in bytes a second; in bytes a picosecond they go with dates.
inline double per_picosecond(BytesPerSecond rate) { return static_cast<double>(rate.count) * 1e-12; }

// The capacity of each port, positive; what a topology comes down to for a fluid model.
struct NetworkSpec {
  std::vector<BytesPerSecond> egress, ingress;
};

// A fluid network: the backend shares the ports out to the flows, never more than a port's capacity or a
// flow's own cap, and rates change only when a flow starts or ends or a capacity changes. Latency is not its
// matter: the caller adds it. What breaks this contract (an unknown port, a rate or size that is not
// positive, a date that decreases) throws std::logic_error.
class Network {
 public:
  virtual ~Network() = default;

  // Starts a flow at `now`. `now` never decreases over all calls.
  virtual void start(Time now, const Flow& flow) = 0;
  // The date of the next end, or Time::max() when nothing flows. Never earlier than the exact date.
  virtual Time next_end() = 0;
  // Moves to `now` and appends the tokens of the flows that have ended by then, in order of (date, start).
  virtual void advance(Time now, std::vector<std::uint32_t>& ended) = 0;
  // A port's capacity from `now` on: a device whose memory is full lowers what its ports take.
  virtual void set_egress(Time now, std::uint32_t port, BytesPerSecond capacity) = 0;
  virtual void set_ingress(Time now, std::uint32_t port, BytesPerSecond capacity) = 0;
  // Bytes a second that leave and enter through a port now.
  virtual double egress_rate(std::uint32_t port) = 0;
  virtual double ingress_rate(std::uint32_t port) = 0;
  virtual std::string_view name() const = 0;
};

// A network backend; one file each, registered by name.
class NetworkBackend {
 public:
  static constexpr std::string_view kKind = "network backend";
  virtual ~NetworkBackend() = default;
  virtual std::unique_ptr<Network> create(const NetworkSpec& spec) const = 0;
};

}  // namespace a3sim
