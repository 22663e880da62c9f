#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "sim/network/network.h"

namespace a3sim {

// Checks what every network refuses (see Network). Knows the time and the current capacities.
class Contract {
 public:
  explicit Contract(const NetworkSpec& spec) : spec_(spec) {
    for (BytesPerSecond rate : spec.egress) check(rate);
    for (BytesPerSecond rate : spec.ingress) check(rate);
    for (BytesPerSecond rate : spec.cables) check(rate);
    if (!spec.paths.empty() && !spec.paths[0].empty()) throw std::logic_error("path 0 has no cables");
    for (const CablePath& path : spec.paths) {
      for (const CableShare& share : path) {
        check_cable(share.cable);
        if (share.parts == 0 || share.parts > share.whole)
          throw std::logic_error("a cable carries a part of a flow");
      }
    }
  }

  void check(const Flow& flow) const {
    check_egress(flow.from);
    check_ingress(flow.to);
    if (flow.bytes.count <= 0 || flow.cap.count <= 0)
      throw std::logic_error("a flow has bytes and a positive cap");
    if (flow.path > 0 && flow.path >= spec_.paths.size())
      throw std::logic_error("a path is one of its network's");
  }
  // Checks that a time does not decrease, and returns it in picoseconds.
  std::int64_t move_to(Time now) {
    const std::int64_t time = now.time_since_epoch().count();
    if (time < now_) throw std::logic_error("a network's times never decrease");
    return now_ = time;
  }

  void check_egress(std::uint32_t port) const { check_port(port, spec_.egress.size()); }
  void check_ingress(std::uint32_t port) const { check_port(port, spec_.ingress.size()); }

  void check_cable(std::uint32_t cable) const {
    if (cable >= spec_.cables.size()) throw std::logic_error("a cable is one of its network's");
  }

  // Sets a capacity and returns whether it changed.
  bool set_egress(Time now, std::uint32_t port, BytesPerSecond capacity) {
    move_to(now);
    check_egress(port);
    return set(spec_.egress[port], capacity);
  }
  bool set_ingress(Time now, std::uint32_t port, BytesPerSecond capacity) {
    move_to(now);
    check_ingress(port);
    return set(spec_.ingress[port], capacity);
  }
  bool set_cable(Time now, std::uint32_t cable, BytesPerSecond capacity) {
    move_to(now);
    check_cable(cable);
    return set(spec_.cables[cable], capacity);
  }

 private:
  static void check_port(std::uint32_t port, std::size_t ports) {
    if (port >= ports) throw std::logic_error("a port is one of its network's");
  }
  static void check(BytesPerSecond rate) {
    if (rate.count <= 0) throw std::logic_error("the rate of a port or cable is positive");
  }
  static bool set(BytesPerSecond& at, BytesPerSecond capacity) {
    check(capacity);
    const bool changes = at != capacity;
    at = capacity;
    return changes;
  }

  NetworkSpec spec_;
  std::int64_t now_ = 0;
};

}  // namespace a3sim
