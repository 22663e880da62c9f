#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/network/network.h"
#include "sim/network/rate_solver.h"

namespace a3sim {

// Exact max-min fair rates over ports and caps, by progressive filling.
class MaxMin final : public RateSolver {
 public:
  explicit MaxMin(const NetworkSpec& spec);

  void add(std::uint32_t from, std::uint32_t to, BytesPerSecond cap) override;
  void remove(std::uint32_t c) override;
  void join(std::uint32_t c) override;
  void leave(std::uint32_t c) override;
  void set_egress(std::uint32_t port, BytesPerSecond capacity) override {
    capacity_[port] = per_picosecond(capacity);
  }
  void set_ingress(std::uint32_t port, BytesPerSecond capacity) override {
    capacity_[egress_ports_ + port] = per_picosecond(capacity);
  }

  void solve() override;
  // Of a full port exactly its capacity.
  double egress_rate(std::uint32_t port) const override { return used(port); }
  double ingress_rate(std::uint32_t port) const override { return used(egress_ports_ + port); }

 private:
  struct Class {
    std::uint32_t egress, ingress;  // ports
    std::uint32_t flows;
    std::uint32_t solved;  // the solve that set its rate last
  };
  struct Place {
    std::uint32_t at_egress, at_ingress;  // where the ports list the class
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
  bool full_at(std::uint32_t port, double rate) const;
  void open_ports();
  void freeze_port(std::uint32_t port, double rate);
  double next_cap(double level) const;
  void freeze_caps(double level);
  void push_down(Level top);
  void pop_top();

  std::uint32_t egress_ports_;
  std::vector<Class> classes_;
  std::vector<Place> places_;
  std::map<double, std::uint32_t> caps_;  // how many classes have each

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
