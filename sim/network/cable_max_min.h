#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sim/network/network.h"
#include "sim/network/rate_solver.h"

namespace a3sim {

// Computes exact max-min fair rates over ports, cables between them, and caps, by progressive filling.
//
// It works like MaxMin (max_min.h): limits are kept in the order in which rising flows reach them, and the
// first of a class's limits holds it. Here every cable of its path limits a class, as well as its two ports
// and its cap. A cable that carries a share of each flow (an even split over several paths) counts in whole
// numbers: it is scaled so that each flow takes a whole number of parts, which keeps sums of parts exact.
class CableMaxMin final : public RateSolver {
 public:
  // Throws InputError if a cable's parts have no common measure below 2^32.
  explicit CableMaxMin(const NetworkSpec& spec);

  void add(std::uint32_t c, std::uint32_t from, std::uint32_t to, BytesPerSecond cap,
           std::uint32_t path) override;
  void remove(std::uint32_t c) override;
  void join(std::uint32_t c) override { change_flows(c, 1); }
  void leave(std::uint32_t c) override { change_flows(c, -1); }
  void set_egress(std::uint32_t port, BytesPerSecond capacity) override { set_capacity(port, capacity); }
  void set_ingress(std::uint32_t port, BytesPerSecond capacity) override {
    set_capacity(egress_ports_ + port, capacity);
  }
  void set_cable(std::uint32_t cable, BytesPerSecond capacity) override {
    set_capacity(ports_ + cable, capacity);
  }

  void solve() override;
  double rate(std::uint32_t c) const override { return limits_[classes_[c].holder].level; }
  double egress_rate(std::uint32_t port) const override { return used(port); }
  double ingress_rate(std::uint32_t port) const override { return used(egress_ports_ + port); }
  double cable_rate(std::uint32_t cable) const override { return used(ports_ + cable); }
  void cable_rates(std::span<double> rates) const override {
    for (std::uint32_t c = 0; c < rates.size(); ++c) rates[c] = used(ports_ + c);
  }

  double left(std::uint32_t c) const override;
  void set_left(std::uint32_t c, double bytes) override;
  void serve(double picoseconds) override;
  double first_end() const override;
  void take_ending(double noise, std::vector<Ending>& ending) override;

 private:
  // A port or cable that a class uses, and the number of parts of it that each flow takes.
  struct Use {
    std::uint32_t limit;
    std::uint32_t place;  // index in the limit's list of classes
    double parts;
  };
  // A class, stored at the limit that holds it.
  struct Held {
    double finish;  // value of `served` when the class's first flow ends
    std::int32_t flows;
    std::uint32_t c;
  };
  struct Limit {
    double level = 0;           // rate of each flow that it holds
    double served = 0;          // bytes that a flow held here all the time would have sent, since some time
    std::vector<Held> held{};   // a heap by end
    std::uint32_t holding = 0;  // if it holds classes: its index in holding_
  };
  struct Class {
    std::vector<Use> uses;  // ports and cables
    std::uint32_t cap;      // the limit that represents its cap
    std::uint32_t holder;
    std::uint32_t place;  // index in the holder's heap
  };
  // The rest of a limit for flows that are not held yet, and their number of parts.
  struct Open {
    double left, parts;
  };
  // A change of open_ by flows that are held, to be undone: the rest before, and the parts that they took.
  struct Taken {
    std::uint32_t limit;
    double left, parts;
  };
  // How far a solve was before it came to a place of the order.
  struct Progress {
    std::size_t taken = 0;  // changes
    std::size_t held = 0;   // classes
  };

  bool is_cap(std::uint32_t limit) const { return limit >= shared_; }
  void set_capacity(std::uint32_t limit, BytesPerSecond capacity) {
    full_[limit].left = per_picosecond(capacity) * whole_[limit];
    changed_ = 0;
  }
  bool uses(const Class& c, std::uint32_t limit) const;
  void change_flows(std::uint32_t c, std::int32_t more);
  double used(std::uint32_t limit) const;
  std::uint32_t cap_limit(double cap);
  void drop_cap(std::uint32_t limit);
  void number_from(std::size_t place);

  double level(std::uint32_t limit) const;
  bool reached_before(std::uint32_t limit, double level) const;
  bool reached_at(std::uint32_t limit, double level) const;
  void hold(std::uint32_t limit, double level);
  void swap_with_next(std::size_t place);
  double bring_first(std::size_t place);
  std::size_t move_back(std::size_t from, double level);
  double filled_at(std::uint32_t limit);
  void bring_to(std::size_t place, std::uint32_t limit);
  std::size_t go_back_to(std::size_t place);
  std::uint32_t too_late(std::size_t place) const;

  void place(std::vector<Held>& held, std::size_t at, const Held& entry);
  void sift(std::vector<Held>& held, std::size_t hole, const Held& entry);
  void hold_class(std::uint32_t c, std::uint32_t limit, double left, std::int32_t flows);
  Held let_go(std::uint32_t c);
  Held& entry_of(std::uint32_t c) { return limits_[classes_[c].holder].held[classes_[c].place]; }
  const Held& entry_of(std::uint32_t c) const { return limits_[classes_[c].holder].held[classes_[c].place]; }

  std::uint32_t egress_ports_, ports_, shared_;
  std::vector<CablePath> paths_;
  std::vector<Limit> limits_;  // egress ports, ingress ports, cables, caps
  // By limit: its capacity in parts, and the parts of all flows that use it; for a cap, the cap and the number of its
  // classes.
  std::vector<Open> full_;
  std::vector<double> whole_;  // by port or cable: parts per byte
  std::map<double, std::uint32_t> caps_;
  std::vector<std::uint32_t> free_;  // unused caps
  // Limits by level, as far as they hold classes. From end_ on they hold none, in any order.
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> at_;  // by limit: its index in order_
  std::vector<Class> classes_;
  std::vector<std::uint32_t> holding_;  // limits that hold classes
  std::size_t in_use_ = 0;              // number of classes

  // A class that uses a port or cable, and the index of that use in the class.
  struct Through {
    std::uint32_t c, use;
  };
  std::vector<std::vector<Through>> through_;  // by port or cable

  std::size_t end_ = 0;
  std::size_t end_solved_ = 0;      // the same when rates were solved last
  std::size_t changed_ = 0;         // the first place of the order where anything may have changed
  std::vector<Open> open_;          // by port or cable
  std::vector<Taken> taken_;        // changes of open_ so far
  std::vector<Progress> progress_;  // by place of the order
  Progress now_;
  std::vector<std::uint32_t> moving_;  // classes
  std::vector<Open> rising_;           // scratch of filled_at()
};

}  // namespace a3sim
