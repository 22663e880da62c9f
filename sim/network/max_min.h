#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/network.h"
#include "sim/network/route_table.h"

namespace a3sim {

// Max-min fair rates over the ports of a network: classes of flows with the same ports and cap, and how many
// flows each has. Classes are numbered densely; removing one moves the last to its place.
class MaxMin {
 public:
  explicit MaxMin(const NetworkSpec& spec);

  // The class of a route and cap, or kNone.
  std::uint32_t find(std::uint32_t from, std::uint32_t to, double cap) const;
  // Adds a class without flows at the end and returns its number.
  std::uint32_t add(std::uint32_t from, std::uint32_t to, double cap);
  // Removes a class without flows; the last one takes its number.
  void remove(std::uint32_t c);
  // One flow more or less.
  void join(std::uint32_t c);
  void leave(std::uint32_t c);
  // Bytes a picosecond that a port passes at most.
  double egress(std::uint32_t port) const { return capacity_[port]; }
  double ingress(std::uint32_t port) const { return capacity_[egress_ports_ + port]; }
  void set_egress(std::uint32_t port, double capacity) { capacity_[port] = capacity; }
  void set_ingress(std::uint32_t port, double capacity) { capacity_[egress_ports_ + port] = capacity; }

  // Sets the rates of all classes.
  void solve();

  std::uint32_t classes() const { return static_cast<std::uint32_t>(classes_.size()); }
  // Bytes a picosecond of one flow of each class, as solved last.
  const std::vector<double>& rates() const { return rates_; }
  // Bytes a picosecond through a port, as solved last; of a full port exactly its capacity.
  double egress_rate(std::uint32_t port) const { return used(port); }
  double ingress_rate(std::uint32_t port) const { return used(egress_ports_ + port); }

 private:
  struct Class {
    std::uint32_t egress, ingress;  // ports
    std::uint32_t flows;
    std::uint32_t solved;  // the solve that set its rate last
  };
  struct Place {
    std::uint32_t at_egress, at_ingress;  // where the ports list the class
    std::uint32_t next;                   // class of the same route with another cap, or kNone
    double cap;
  };
  // Of solve(): capacity and flows of a port whose rates are not set yet.
  struct Open {
    double left;
    std::uint32_t flows;
  };
  // A lower bound of the rate at which a port is full.
  struct Level {
    double rate;
    std::uint32_t port;
  };

  double used(std::uint32_t port) const;
  RouteTable::Route route(std::uint32_t c) const {
    return {classes_[c].egress, classes_[c].ingress - egress_ports_};
  }
  std::uint32_t& link_to(std::uint32_t c);
  bool full_at(std::uint32_t port, double rate) const;
  void open_ports();
  void freeze_port(std::uint32_t port, double rate);
  double freeze_caps(double level);
  void push_down(Level top);
  void pop_top();

  std::uint32_t egress_ports_;
  RouteTable first_;  // class of each route that has one
  std::vector<Class> classes_;
  std::vector<Place> places_;
  std::vector<double> rates_;
  double least_cap_;  // of all classes, or less

  // By port: egress ports, then ingress ports.
  std::vector<double> capacity_;
  std::vector<std::vector<std::uint32_t>> listed_;  // classes
  std::vector<std::uint32_t> flows_;
  std::vector<Open> open_;

  std::vector<Level> heap_;
  std::uint32_t solves_ = 0;
  std::uint32_t unsolved_ = 0;  // classes
};

}  // namespace a3sim
