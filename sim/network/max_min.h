#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/network.h"

namespace a3sim {

// Max-min fair rates over the ports of a network: classes of flows with the same source, destination and cap,
// and how many flows each has. Classes are numbered densely; removing one moves the last to its place.
class MaxMin {
 public:
  explicit MaxMin(const NetworkSpec& spec);

  // The class of a route and cap, or kNone.
  std::uint32_t find(std::uint32_t src, std::uint32_t dst, double cap) const;
  // Adds a class without flows at the end and returns its number.
  std::uint32_t add(std::uint32_t src, std::uint32_t dst, double cap);
  // Removes a class without flows; the last one takes its number.
  void remove(std::uint32_t c);
  // One flow more or less.
  void join(std::uint32_t c);
  void leave(std::uint32_t c);

  // Sets the rates of all classes.
  void solve();

  std::uint32_t classes() const { return static_cast<std::uint32_t>(classes_.size()); }
  // Bytes a picosecond of one flow of each class, as solved last.
  const std::vector<double>& rates() const { return rates_; }
  // Bytes a picosecond through a rank's ports, as solved last.
  double egress_rate(std::uint32_t rank) const { return capacity(rank) - ports_[rank].left; }
  double ingress_rate(std::uint32_t rank) const {
    return capacity(ranks_ + rank) - ports_[ranks_ + rank].left;
  }

 private:
  struct Class {
    std::uint32_t egress, ingress;        // ports
    std::uint32_t at_egress, at_ingress;  // where the ports list it
    std::uint32_t flows;
    std::uint32_t solved;  // the solve that set its rate last
    std::uint32_t next;    // class of the same route with another cap, or kNone
    double cap;
  };
  struct Port {
    std::vector<std::uint32_t> classes;
    std::uint32_t flows = 0;
    // Of solve(): capacity and flows whose rates are not set yet.
    std::uint32_t open = 0;
    double left = 0;
  };
  // A lower bound of the rate at which a port is full.
  struct Level {
    double rate;
    std::uint32_t port;
  };

  double capacity(std::uint32_t port) const { return port < ranks_ ? egress_ : ingress_; }
  std::uint32_t& route(const Class& c) {
    return first_[std::size_t{c.egress} * ranks_ + (c.ingress - ranks_)];
  }
  std::uint32_t& link_to(std::uint32_t c);
  void freeze(std::uint32_t c, double rate);
  void freeze_port(std::uint32_t port, double rate);
  void freeze_caps(double level);
  void push_down();

  std::uint32_t ranks_;
  double egress_, ingress_;
  std::vector<std::uint32_t> first_;  // by route: its first class, or kNone
  std::vector<Class> classes_;
  std::vector<double> rates_;
  std::vector<Port> ports_;  // egress ports, then ingress ports
  std::vector<Level> heap_;
  std::uint32_t solves_ = 0;
  std::uint32_t open_ = 0;  // classes whose rates are not set yet
  double least_cap_ = 0;    // of these, or less
};

}  // namespace a3sim
