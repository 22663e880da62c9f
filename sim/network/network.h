#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/core/ids.h"
#include "sim/core/units.h"

namespace a3sim {

// A put in flight: bytes from one rank to another, at most at the rate of the worker that drives it.
struct Flow {
  RankId src{}, dst{};  // different
  Bytes bytes;          // positive
  BytesPerSecond cap;   // of the driving worker
  std::uint32_t token;  // the caller's, given back at the end
};

// Rates of the ports; what a topology comes down to for a fluid model.
struct NetworkSpec {
  std::uint32_t ranks = 0;
  BytesPerSecond egress, ingress;  // of one rank
};

// A fluid network: rates are max-min fair over egress and ingress ports and the flows' own caps, and change
// only when a flow starts or ends. Latency is not its matter: the caller adds it.
class Network {
 public:
  virtual ~Network() = default;

  // Starts a flow at `now`. `now` never decreases over all calls.
  virtual void start(Time now, const Flow& flow) = 0;
  // The date of the next end, or Time::max() when nothing flows. Never earlier than the exact date.
  virtual Time next_end() = 0;
  // Moves to `now` and appends the tokens of the flows that have ended by then, in order of (date, start).
  virtual void advance(Time now, std::vector<std::uint32_t>& ended) = 0;
  // Bytes a second that leave and enter a rank now.
  virtual double egress_rate(RankId rank) = 0;
  virtual double ingress_rate(RankId rank) = 0;
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
