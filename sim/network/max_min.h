#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/network/network.h"
#include "sim/network/rate_solver.h"

namespace a3sim {

// Computes exact max-min fair rates over ports and caps, by progressive filling.
//
// Three limits can hold a flow back: its egress port, its ingress port, and its cap. All open flows rise
// together until a limit is reached, which then holds its open flows at that level. So limits have an order,
// and the first of a flow's three limits holds it. All flows of one limit have the same rate, so the order in
// which they end does not depend on other limits. Between changes the order of limits hardly changes. So it
// is stored, a solve goes through it once, and only classes whose limits change places move from one limit to
// another.
class MaxMin final : public RateSolver {
 public:
  explicit MaxMin(const NetworkSpec& spec);

  void add(std::uint32_t c, std::uint32_t from, std::uint32_t to, BytesPerSecond cap,
           std::uint32_t path) override;
  void remove(std::uint32_t c) override;
  void join(std::uint32_t c) override { change_flows(c, 1); }
  void leave(std::uint32_t c) override { change_flows(c, -1); }
  void set_egress(std::uint32_t port, BytesPerSecond capacity) override { set_capacity(port, capacity); }
  void set_ingress(std::uint32_t port, BytesPerSecond capacity) override {
    set_capacity(egress_ports_ + port, capacity);
  }

  void solve() override;
  double rate(std::uint32_t c) const override { return limits_[classes_[c].holder].level; }
  // Returns exactly the capacity for a full port.
  double egress_rate(std::uint32_t port) const override { return used(port); }
  double ingress_rate(std::uint32_t port) const override { return used(egress_ports_ + port); }

  double left(std::uint32_t c) const override;
  void set_left(std::uint32_t c, double bytes) override;
  void serve(double picoseconds) override;
  double first_end() const override;
  void take_ending(double noise, std::vector<Ending>& ending) override;

 private:
  // A class, stored at the limit that holds it.
  struct Held {
    double finish;  // value of `served` when the class's first flow ends
    // For a port: the port at the other side and the cap; for a cap: the ports.
    std::array<std::uint32_t, 2> others;
    std::int32_t flows;
    std::uint32_t c;
  };
  struct Limit {
    double capacity;              // for a cap, the cap
    double level = 0;             // rate of each flow that it holds
    double served = 0;            // bytes that a flow held here all the time would have sent, since some time
    std::int32_t flows = 0;       // flows of all classes through a port, or with a cap
    std::vector<Held> held = {};  // a heap by end
  };
  struct Class {
    std::array<std::uint32_t, 3> limits;  // egress, ingress, cap
    std::uint32_t holder;
    std::uint32_t place;              // index in the holder's heap
    std::array<std::uint32_t, 2> at;  // indices in its ports' lists
  };
  // Scratch of solve(): the rest of a port for flows that are not held yet, and their number.
  struct Open {
    double left, flows;
  };

  bool is_cap(std::uint32_t limit) const { return limit >= ports_; }
  // Returns 0 for an egress port, 1 for an ingress port, 2 for a cap. A class has one limit of each kind.
  std::uint32_t kind(std::uint32_t limit) const {
    return (limit >= egress_ports_ ? 1 : 0) + (is_cap(limit) ? 1 : 0);
  }
  void set_capacity(std::uint32_t port, BytesPerSecond capacity) {
    limits_[port].capacity = per_picosecond(capacity);
    changed_ = 0;
  }
  void change_flows(std::uint32_t c, std::int32_t more);
  double used(std::uint32_t port) const;
  std::uint32_t cap_limit(double cap);
  void drop_cap(std::uint32_t limit);
  void number_from(std::size_t place);

  bool in_use(std::uint32_t limit) const { return is_cap(limit) || limits_[limit].flows > 0; }
  std::size_t in_use_before(std::size_t place) const;
  double level(std::uint32_t limit) const;
  bool reached_before(std::uint32_t limit, double level) const;
  bool reached_at(std::uint32_t limit, double level) const;
  void hold(std::uint32_t limit, double level);
  void swap_with_next(std::size_t place);
  double bring_first(std::size_t place);
  std::size_t move_back(std::size_t from);
  std::size_t go_back_to(std::size_t place);

  void place(std::vector<Held>& held, std::size_t at, const Held& entry);
  void sift(std::vector<Held>& held, std::size_t hole, const Held& entry);
  void hold_class(std::uint32_t c, std::uint32_t limit, double left, std::int32_t flows);
  Held let_go(std::uint32_t c);
  Held& entry_of(std::uint32_t c) { return limits_[classes_[c].holder].held[classes_[c].place]; }
  const Held& entry_of(std::uint32_t c) const { return limits_[classes_[c].holder].held[classes_[c].place]; }

  std::uint32_t egress_ports_, ports_;
  std::vector<Limit> limits_;  // egress ports, ingress ports, caps
  std::map<double, std::uint32_t> caps_;
  std::vector<std::uint32_t> free_;   // unused caps
  std::vector<std::uint32_t> order_;  // limits, by level
  std::vector<std::uint32_t> at_;     // by limit: its index in order_
  std::vector<Class> classes_;

  std::vector<std::vector<std::uint32_t>> through_;  // by port: classes

  std::size_t stride_;
  std::vector<Open> open_;                // by port
  std::vector<std::vector<Open>> saved_;  // copies of open_ at every stride_ places of the order
  std::size_t changed_ = 0;               // the first place of the order where anything may have changed
  std::vector<std::uint32_t> moving_;     // classes
};

}  // namespace a3sim
