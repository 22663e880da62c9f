#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/network/class_table.h"
#include "sim/network/contract.h"
#include "sim/network/end_heap.h"
#include "sim/network/flow_queue.h"
#include "sim/network/fluid_time.h"
#include "sim/network/network.h"

namespace a3sim {

// A fluid network of ports without cables. A class of flows, which have the same ports and cap, is updated
// only when its own rate changes, so a change costs nothing at ports that it does not concern. How flows share
// ports is the subclass's.
class PortFluid : public Network {
 public:
  // Throws InputError if the specification has cables. `name` is the backend's.
  PortFluid(std::string_view name, const NetworkSpec& spec);

  void start(Time now, const Flow& flow) override;
  Time next_end() override;
  void advance(Time now, std::vector<std::uint32_t>& ended) override;
  void set_egress(Time now, std::uint32_t port, BytesPerSecond capacity) override;
  void set_ingress(Time now, std::uint32_t port, BytesPerSecond capacity) override;
  void set_cable(Time now, std::uint32_t cable, BytesPerSecond capacity) override;
  double egress_rate(std::uint32_t port) override;
  double ingress_rate(std::uint32_t port) override;
  double cable_rate(std::uint32_t cable) override;
  std::string_view name() const override { return name_; }

 protected:
  struct Class {
    std::uint32_t egress, ingress;        // ports
    std::uint32_t at_egress, at_ingress;  // indices in their lists
    double cap;
    ClassTable::Key key;
    FlowQueue flows;
    double left = 0;  // bytes of the flow that ends first, at the time `since`
    double rate = 0;
    FluidTime since;
    bool stale = true;  // its end in the heap is missing or outdated
  };
  struct Port {
    double capacity;
    std::vector<std::uint32_t> classes = {};
    std::uint32_t flows = 0;
    bool touched = false;
    double used = 0;  // bytes per picosecond
  };

  // Shares the ports in `touched`, whose flows or capacities have changed, by calls of set_rate(). Sets what
  // is used of each port that the change concerns.
  virtual void share(const std::vector<std::uint32_t>& touched) = 0;
  // Sets the rate of a class's flows from the fluid's time on, in bytes per picosecond.
  void set_rate(std::uint32_t c, double rate);

  const Class& class_at(std::uint32_t c) const { return classes_[c]; }
  Port& port_at(std::uint32_t p) { return ports_[p]; }
  const Port& port_at(std::uint32_t p) const { return ports_[p]; }
  std::size_t ports() const { return ports_.size(); }  // egress ports, then ingress ports
  std::size_t classes() const { return classes_.size(); }

 private:
  void set_capacity(Time now, std::size_t port, BytesPerSecond capacity);
  void touch(std::uint32_t port);
  std::uint32_t class_of(const Flow& flow);
  void drop(std::uint32_t c);
  void serve(std::uint32_t c);
  void refresh();
  void run_to(Time now);
  void end_flows(std::int64_t time);
  void end_flows_of(std::uint32_t c, std::int64_t time);

  std::string_view name_;
  Contract contract_;
  std::size_t egress_ports_;
  std::vector<Port> ports_;  // egress ports, then ingress ports
  std::vector<Class> classes_;
  std::vector<std::uint32_t> free_;  // numbers of classes
  ClassTable numbers_;
  EndHeap ends_;
  std::vector<std::uint32_t> touched_;  // ports whose flows or capacity have changed
  double noise_ = 0;                    // bytes: rounding of virtual times as large as any so far

  FluidTime time_;
  std::uint64_t sequence_ = 0;
  EndedFlows ended_;
};

}  // namespace a3sim
