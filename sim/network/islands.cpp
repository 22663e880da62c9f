#include <algorithm>
#include <limits>
#include <memory>

#include "sim/core/registry.h"
#include "sim/network/port_fluid.h"

namespace a3sim {

namespace {

// Rounding noise: ports that are full at levels closer than this, relative, are full at the same level. What
// is left of a port has a noise of its own, relative to its capacity.
constexpr double kIslandNoise = 0x1p-40, kIslandLeftNoise = 0x1p-47;

// Exact max-min fair rates over ports and caps, island by island: ports that flows connect, directly or by way
// of other ports. A change concerns its own island alone, whose flows are shared anew by progressive filling,
// in time quadratic in the island. So it is fast where ports stand alone or in small groups, as those of a
// pipeline's stages do, and slow where all exchange with all.
class Islands final : public PortFluid {
 public:
  explicit Islands(const NetworkSpec& spec) : PortFluid("islands", spec), state_(ports()) {}

 private:
  struct PortState {
    bool seen = false;       // in an island that is shared now
    double left = 0;         // bytes per picosecond for flows without a rate
    std::uint32_t open = 0;  // number of these flows
  };

  void share(const std::vector<std::uint32_t>& touched) override {
    seen_.clear();
    open_class_.resize(classes(), 0);
    for (const std::uint32_t first : touched) {
      if (state_[first].seen) continue;
      explore(first);
      fill();
      for (const std::uint32_t p : island_) set_used(p);
    }
    for (const std::uint32_t p : seen_) state_[p].seen = false;
  }

  // Collects the island of a port and its classes.
  void explore(std::uint32_t first) {
    island_.clear();
    open_.clear();
    add_port(first);
    std::size_t next = 0;
    while (next < island_.size()) {  // grows
      for (const std::uint32_t c : port_at(island_[next++]).classes) {
        if (open_class_[c]) continue;
        open_class_[c] = 1;
        open_.push_back(c);
        add_port(class_at(c).egress);
        add_port(class_at(c).ingress);
      }
    }
  }

  void add_port(std::uint32_t p) {
    if (state_[p].seen) return;
    state_[p] = {true, port_at(p).capacity, port_at(p).flows};
    island_.push_back(p);
    seen_.push_back(p);
  }

  // Raises the rates of all open flows together. The first limit that is reached holds its flows.
  void fill() {
    constexpr double kUnlimited = std::numeric_limits<double>::infinity();
    double last = 0;
    while (!open_.empty()) {
      double port_level = kUnlimited, cap = kUnlimited;
      for (const std::uint32_t p : island_)
        if (state_[p].open > 0) port_level = std::min(port_level, state_[p].left / state_[p].open);
      if (port_level <= last * (1 + kIslandNoise)) port_level = last;
      for (const std::uint32_t c : open_) cap = std::min(cap, class_at(c).cap);  // its own level, exactly
      last = std::min(port_level, cap);
      hold(last);
    }
  }

  bool is_full(std::uint32_t p, double level) const {
    const double wanted = level * state_[p].open;
    return state_[p].left <=
           std::max(wanted * (1 + kIslandNoise), wanted + port_at(p).capacity * kIslandLeftNoise);
  }

  // Gives the level to all open classes that have a limit there.
  void hold(double level) {
    const auto held = std::partition(open_.begin(), open_.end(), [&](std::uint32_t c) {
      const Class& open = class_at(c);
      return open.cap > level && !is_full(open.egress, level) && !is_full(open.ingress, level);
    });
    for (auto c = held; c != open_.end(); ++c) {
      open_class_[*c] = 0;
      const auto flows = static_cast<std::uint32_t>(class_at(*c).flows.size());
      for (const std::uint32_t p : {class_at(*c).egress, class_at(*c).ingress}) {
        state_[p].left -= level * flows;
        state_[p].open -= flows;
      }
      set_rate(*c, level);
    }
    open_.erase(held, open_.end());
  }

  // A full port gives exactly its capacity.
  void set_used(std::uint32_t p) {
    const double all = port_at(p).capacity, left = state_[p].left;
    port_at(p).used = left > all * kIslandNoise ? all - left : all;
  }

  std::vector<PortState> state_;  // by port
  std::vector<std::uint8_t>
      open_class_;  // by class: 1 in an island that is shared now, until it has its rate
  std::vector<std::uint32_t> island_, seen_;  // ports
  std::vector<std::uint32_t> open_;           // classes without a rate
};

class IslandsBackend final : public NetworkBackend {
 public:
  std::unique_ptr<Network> create(const NetworkSpec& spec) const override {
    return std::make_unique<Islands>(spec);
  }
};

A3SIM_REGISTER(NetworkBackend, "islands",
               "exact max-min over ports and caps, island by island: for ports that rarely meet",
               IslandsBackend);

}  // namespace

}  // namespace a3sim
