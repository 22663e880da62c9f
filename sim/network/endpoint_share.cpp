#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "sim/core/error.h"
#include "sim/core/ids.h"
#include "sim/core/registry.h"
#include "sim/network/class_table.h"
#include "sim/network/contract.h"
#include "sim/network/end_heap.h"
#include "sim/network/flow_queue.h"
#include "sim/network/fluid_date.h"

namespace a3sim {

namespace {

// A network in which each port gives its flows equal shares, and a flow runs at the smallest of its two
// shares and its cap. Bandwidth that one flow leaves unused is not given to others. So a change concerns only
// flows at the same ports, and a class of flows is updated only when its own rate changes.
class EndpointShare final : public Network {
 public:
  explicit EndpointShare(const NetworkSpec& spec) : contract_(spec), egress_ports_(spec.egress.size()) {
    if (!spec.cables.empty())
      throw InputError(
          "network.backend=endpoint-share shares ports alone, and this topology has cables that bind: set "
          "network.backend=native");
    for (BytesPerSecond rate : spec.egress) ports_.push_back({per_picosecond(rate)});
    for (BytesPerSecond rate : spec.ingress) ports_.push_back({per_picosecond(rate)});
  }

  void start(Time now, const Flow& flow) override {
    contract_.check(flow);
    run_to(now);
    const std::uint32_t c = class_of(flow);
    serve(c);
    Class& joined = classes_[c];
    const double served = joined.flows.empty() ? 0 : joined.flows.first().finish - joined.left;
    const double finish = served + static_cast<double>(flow.bytes.count);
    noise_ = std::max(noise_, finish * kRelativeSlack);
    joined.flows.push({finish, sequence_++, flow.token});
    joined.left = joined.flows.first().finish - served;
    joined.stale = true;
    for (std::uint32_t port : {joined.egress, joined.ingress}) {
      ++ports_[port].flows;
      touch(port);
    }
  }

  Time next_end() override {
    if (!ended_.empty()) return Time(Duration(ended_.first_date()));
    refresh();
    return ends_.empty() ? Time::max() : Time(Duration(ends_.first().rounded()));
  }

  void advance(Time now, std::vector<std::uint32_t>& ended) override {
    run_to(now);
    ended_.hand_out(ended);
  }

  void set_egress(Time now, std::uint32_t port, BytesPerSecond capacity) override {
    if (contract_.set_egress(now, port, capacity)) set(now, port, capacity);
  }
  void set_ingress(Time now, std::uint32_t port, BytesPerSecond capacity) override {
    if (contract_.set_ingress(now, port, capacity)) set(now, egress_ports_ + port, capacity);
  }

  double egress_rate(std::uint32_t port) override {
    contract_.check_egress(port);
    refresh();
    return ports_[port].used * 1e12;
  }
  double ingress_rate(std::uint32_t port) override {
    contract_.check_ingress(port);
    refresh();
    return ports_[egress_ports_ + port].used * 1e12;
  }
  void set_cable(Time now, std::uint32_t cable, BytesPerSecond capacity) override {
    contract_.set_cable(now, cable, capacity);
  }
  double cable_rate(std::uint32_t cable) override {
    contract_.check_cable(cable);
    return 0;
  }
  std::string_view name() const override { return "endpoint-share"; }

 private:
  struct Class {
    std::uint32_t egress, ingress;        // ports
    std::uint32_t at_egress, at_ingress;  // indices in their lists
    double cap;
    ClassTable::Key key;
    FlowQueue flows;
    double left = 0;  // bytes of the flow that ends first, at the date `since`
    double rate = 0;
    FluidDate since;
    bool stale = true;  // its end in the heap is missing or outdated
  };
  struct Port {
    double capacity;
    std::vector<std::uint32_t> classes = {};
    std::uint32_t flows = 0;
    bool touched = false;
    double used = 0;  // bytes per picosecond
  };

  void set(Time now, std::size_t port, BytesPerSecond capacity) {
    run_to(now);
    ports_[port].capacity = per_picosecond(capacity);
    touch(static_cast<std::uint32_t>(port));
  }

  void touch(std::uint32_t port) {
    if (!std::exchange(ports_[port].touched, true)) touched_.push_back(port);
  }

  std::uint32_t class_of(const Flow& flow) {
    const ClassTable::Key key{flow.from, flow.to, flow.cap.count};
    std::uint32_t& c = numbers_.at(key);
    if (c != kNone) return c;
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(classes_.size()));
      classes_.emplace_back();
    }
    c = free_.back();
    free_.pop_back();
    Class& added = classes_[c];
    added.egress = flow.from;
    added.ingress = static_cast<std::uint32_t>(egress_ports_ + flow.to);
    auto &out = ports_[added.egress].classes, &in = ports_[added.ingress].classes;
    added.at_egress = static_cast<std::uint32_t>(out.size());
    added.at_ingress = static_cast<std::uint32_t>(in.size());
    out.push_back(c);
    in.push_back(c);
    added.cap = per_picosecond(flow.cap);
    added.key = key;
    added.left = added.rate = 0;
    added.since = date_;
    return c;
  }

  void drop(std::uint32_t c) {
    const auto unlist = [&](std::uint32_t port, std::uint32_t Class::* at) {
      auto& list = ports_[port].classes;
      const std::uint32_t hole = classes_[c].*at;
      list[hole] = list.back();
      classes_[list[hole]].*at = hole;
      list.pop_back();
    };
    unlist(classes_[c].egress, &Class::at_egress);
    unlist(classes_[c].ingress, &Class::at_ingress);
    numbers_.erase(classes_[c].key);
    free_.push_back(c);
  }

  // Advances a class to the fluid's date.
  void serve(std::uint32_t c) {
    Class& served = classes_[c];
    served.left -= served.rate * (date_ - served.since);
    served.since = date_;
  }

  // Updates the rates and ends of the classes at touched ports.
  void refresh() {
    for (std::uint32_t port : touched_) {
      ports_[port].touched = false;
      double used = 0;
      for (std::uint32_t c : ports_[port].classes) {
        refresh(c);
        used += classes_[c].rate * static_cast<double>(classes_[c].flows.size());
      }
      ports_[port].used = used;
    }
    touched_.clear();
  }

  void refresh(std::uint32_t c) {
    Class& changed = classes_[c];
    const auto share = [&](std::uint32_t port) { return ports_[port].capacity / ports_[port].flows; };
    const double rate = std::min({changed.cap, share(changed.egress), share(changed.ingress)});
    if (rate == changed.rate && !changed.stale) return;
    serve(c);
    // Valid for a port that is not touched; the sum of a touched port is computed anew.
    const double more = (rate - changed.rate) * static_cast<double>(changed.flows.size());
    ports_[changed.egress].used += more;
    ports_[changed.ingress].used += more;
    changed.rate = rate;
    changed.stale = false;
    ends_.set(c, changed.since + std::max(0.0, changed.left) / rate);
  }

  // Ends flows that end by `now`.
  void run_to(Time now) {
    const FluidDate last{contract_.move_to(now), 0};
    // At the very date of a change no flow ends: those that could have ended already.
    while (touched_.empty() || date_ < last) {
      refresh();
      if (ends_.empty() || ends_.first().rounded() > last.whole) break;
      const std::int64_t date = ends_.first().rounded();
      date_ = std::min(ends_.first(), last);
      end_flows(date);
    }
    if (date_ < last) date_ = last;
  }

  void end_flows(std::int64_t date) {
    const FluidDate until = std::max(date_, ends_.first()) + kSlack;
    while (!ends_.empty() && !(until < ends_.first())) {
      const std::uint32_t c = ends_.first_class();
      ends_.erase(c);
      end_flows_of(c, date);
    }
  }

  void end_flows_of(std::uint32_t c, std::int64_t date) {
    serve(c);
    Class& ending = classes_[c];
    const double served = ending.flows.first().finish - ending.left;
    const double slack = ending.rate * 2 * kSlack + noise_;
    while (!ending.flows.empty() && ending.flows.first().finish - served <= slack) {
      ended_.add(date, ending.flows.first());
      ending.flows.pop();
      --ports_[ending.egress].flows;
      --ports_[ending.ingress].flows;
    }
    touch(ending.egress);
    touch(ending.ingress);
    ending.stale = true;
    if (ending.flows.empty()) return drop(c);
    ending.left = ending.flows.first().finish - served;
  }

  Contract contract_;
  std::size_t egress_ports_;
  std::vector<Port> ports_;  // egress ports, then ingress ports
  std::vector<Class> classes_;
  std::vector<std::uint32_t> free_;  // numbers of classes
  ClassTable numbers_;
  EndHeap ends_;
  std::vector<std::uint32_t> touched_;  // ports whose flows or capacity have changed
  double noise_ = 0;                    // bytes: rounding of virtual times as large as any so far

  FluidDate date_;
  std::uint64_t sequence_ = 0;
  EndedFlows ended_;
};

class EndpointShareBackend final : public NetworkBackend {
 public:
  std::unique_ptr<Network> create(const NetworkSpec& spec) const override {
    return std::make_unique<EndpointShare>(spec);
  }
};

A3SIM_REGISTER(NetworkBackend, "endpoint-share", "even shares at both ports: for large groups",
               EndpointShareBackend);

}  // namespace

}  // namespace a3sim
