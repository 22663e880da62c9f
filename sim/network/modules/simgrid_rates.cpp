#include "sim/network/simgrid_rates.h"

#include <xbt/log.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/error.h"
#include "sim/core/ids.h"
#include "sim/network/class_table.h"
#include "sim/network/fluid_time.h"
#include "sim/network/modules/simgrid_star.h"
#include "sim/network/rate_solver.h"

namespace a3sim {

namespace {

namespace s4u = simgrid::s4u;
namespace resource = simgrid::kernel::resource;

// An endless transfer that represents all flows of a class. A weight of n makes it n flows.
struct Carrier {
  s4u::CommPtr comm;  // keeps the action alive
  resource::Action* action = nullptr;
};

// An engine replaces the process's signal handlers and its way to terminate; this restores the program's own.
class Handlers {
 public:
  Handlers() : terminate_(std::get_terminate()) {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], nullptr, &actions_[i]);
  }
  ~Handlers() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &actions_[i], nullptr);
    std::set_terminate(terminate_);
  }
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

 private:
  static constexpr std::array kSignals{SIGINT, SIGSEGV, SIGBUS};
  std::array<struct sigaction, kSignals.size()> actions_{};
  std::terminate_handler terminate_;
};

class Platform;
struct Release {
  void operator()(Platform*) const { in_use.clear(); }
  static inline std::atomic_flag in_use;
};
using Lease = std::unique_ptr<Platform, Release>;

// SimGrid's engine and its platform: a star of one-way hosts, each with a link of its own for a port. The
// engine never runs; it only computes the sharing of bandwidth, at time 0. A process can have one engine, so
// platform and carriers are kept for the next network, and grow to the largest.
class Platform {
 public:
  // Returns the process's platform if it is not in use. It is never destroyed: SimGrid would complain about
  // unfinished transfers.
  static Lease acquire() {
    if (Release::in_use.test_and_set())
      throw RunError(
          "SimGrid simulates one network at a time in a process, and another is in use: set "
          "network.backend=native, which shares bandwidth in the same way");
    static Platform& platform = *new Platform;
    Lease lease(&platform);
    if (!platform.network_) platform.open();
    return lease;
  }

  void set_egress(std::uint32_t port, BytesPerSecond capacity) { set(egress_, port, capacity); }
  void set_ingress(std::uint32_t port, BytesPerSecond capacity) { set(ingress_, port, capacity); }
  void set_cable(std::uint32_t cable, BytesPerSecond capacity) {
    while (cables_.size() <= cable) {
      cables_.push_back(add_link(*star_, "cable-" + std::to_string(cables_.size()), 1.0));
      cables_.back()->set_latency(0)->seal();
    }
    cables_[cable]->set_bandwidth(static_cast<double>(capacity.count));
  }

  // Returns a suspended carrier between two ports, over cables between them.
  Carrier take(std::uint32_t from, std::uint32_t to, const CablePath& path) {
    const std::uint32_t source = source_of(from, path);
    auto& idle = idle_of(source, to);
    if (!idle.empty()) {
      const Carrier carrier = idle.back();
      idle.pop_back();
      return carrier;
    }
    constexpr std::uint64_t kEndless = std::uint64_t{1} << 62;
    s4u::CommPtr comm = s4u::Comm::sendto_init();
    comm->set_payload_size(kEndless)->set_source(sources_[source]);
    comm->set_destination(ingress_[to].host);  // starts it
    resource::Action* action = &network_->get_started_action_set()->back();
    action->suspend();
    return {comm, action};
  }
  void put_back(std::uint32_t from, std::uint32_t to, const CablePath& path, const Carrier& carrier) {
    carrier.action->suspend();
    idle_of(source_of(from, path), to).push_back(carrier);
  }

  // SimGrid computes the sharing when it is asked for its next event.
  void share() { network_->next_occurring_event(0); }

 private:
  struct Port {
    s4u::Host* host;  // of an ingress port
    s4u::Link* link;
  };

  Platform() = default;

  void open() {
    const Handlers handlers;
    xbt_log_control_set("root.thres:error");  // it warns of carriers at the end of the program
    int count = 1;
    char name[] = "a3sim";
    char* arguments[] = {name, nullptr};
    const auto& engine = *new s4u::Engine(&count, arguments);  // SimGrid keeps the pointer itself
    // Plain max-min: no factors for TCP, no traffic in the other direction, solved as a whole, as exact as
    // doubles allow.
    for (const char* setting : {"network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0",
                                "network/optim:Full", "surf/precision:1e-12", "maxmin/precision:1e-12"})
      s4u::Engine::set_config(std::string(setting));
    star_ = add_star(engine, "ports");
    for (resource::Model* model : engine.get_all_models()) {
      if (model->get_name().starts_with("Network")) network_ = model;
    }
    if (!network_)
      throw RunError(
          "SimGrid has no network model: it is another version than 3.32 and 4; set network.backend=native, "
          "which "
          "shares bandwidth in the same way");
  }

  void set(std::vector<Port>& ports, std::uint32_t port, BytesPerSecond capacity) {
    while (ports.size() <= port) ports.push_back(add_port(&ports == &egress_, ports.size()));
    ports[port].link->set_bandwidth(static_cast<double>(capacity.count));
  }

  Port add_port(bool egress, std::size_t number) {
    const std::string name = (egress ? "egress-" : "ingress-") + std::to_string(number);
    Port port{nullptr, add_link(*star_, name, 1.0)};
    port.link->set_latency(0)->seal();
    if (egress) return port;
    port.host = add_host(*star_, name);
    add_way_in(*star_, *port.host, {s4u::LinkInRoute(port.link)});
    return port;
  }

  // The number of the host that sends through an egress port over a path. A star knows one way out of each host, so
  // each path from a port begins at a host of its own, whose way out has all cables of the path.
  std::uint32_t source_of(std::uint32_t from, const CablePath& path) {
    std::vector<std::uint32_t> key{from};
    for (const CableShare& share : path) key.push_back(share.cable);
    const auto [known, is_new] =
        source_numbers_.try_emplace(key, static_cast<std::uint32_t>(sources_.size()));
    if (is_new) {
      s4u::Host* const host = add_host(*star_, "source-" + std::to_string(sources_.size()));
      std::vector<s4u::LinkInRoute> route{s4u::LinkInRoute(egress_[from].link)};
      for (const CableShare& share : path) route.emplace_back(cables_[share.cable]);
      add_way_out(*star_, *host, route);
      sources_.push_back(host);
    }
    return known->second;
  }

  std::vector<Carrier>& idle_of(std::uint32_t source, std::uint32_t to) {
    std::uint32_t& place = routes_.at({source, to, 0});
    if (place == kNone) {
      place = static_cast<std::uint32_t>(idle_.size());
      idle_.emplace_back();
    }
    return idle_[place];
  }

  s4u::NetZone* star_ = nullptr;
  resource::Model* network_ = nullptr;
  std::vector<Port> egress_, ingress_;
  std::vector<s4u::Link*> cables_;
  std::vector<s4u::Host*> sources_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> source_numbers_;  // by port and cables
  ClassTable routes_;
  std::vector<std::vector<Carrier>> idle_;  // by route
};

class SimGridRates final : public RateSolver {
 public:
  explicit SimGridRates(const NetworkSpec& spec)
      : platform_(Platform::acquire()),
        paths_(spec.paths),
        egress_(spec.egress.size()),
        ingress_(spec.ingress.size()),
        cables_(spec.cables.size()) {
    if (paths_.empty()) paths_.emplace_back();
    for (const CablePath& path : paths_) {
      if (std::any_of(path.begin(), path.end(),
                      [](const CableShare& share) { return share.parts != share.whole; }))
        throw InputError(
            "network.backend=simgrid: SimGrid gives a flow one path, and these routes split flows evenly: "
            "set "
            "network.backend=native, or routes to 'given' or 'hash'");
    }
    for (std::uint32_t cable = 0; cable < spec.cables.size(); ++cable)
      platform_->set_cable(cable, spec.cables[cable]);
    for (std::uint32_t p = 0; p < spec.egress.size(); ++p) platform_->set_egress(p, spec.egress[p]);
    for (std::uint32_t p = 0; p < spec.ingress.size(); ++p) platform_->set_ingress(p, spec.ingress[p]);
  }
  ~SimGridRates() override {
    for (const Class& c : classes_) {
      if (c.carrier.action != nullptr) platform_->put_back(c.from, c.to, paths_[c.path], c.carrier);
    }
  }
  SimGridRates(const SimGridRates&) = delete;
  SimGridRates& operator=(const SimGridRates&) = delete;

  void add(std::uint32_t c, std::uint32_t from, std::uint32_t to, BytesPerSecond cap,
           std::uint32_t path) override {
    if (classes_.size() <= c) classes_.resize(c + 1);
    classes_[c] = {
        from, to, path, static_cast<double>(cap.count), 0, 0, platform_->take(from, to, paths_[path]), 0, 0};
  }
  void remove(std::uint32_t c) override {
    const Class& gone = classes_[c];
    platform_->put_back(gone.from, gone.to, paths_[gone.path], gone.carrier);
    classes_[c] = {};
  }
  void join(std::uint32_t c) override { ++classes_[c].flows; }
  void leave(std::uint32_t c) override { --classes_[c].flows; }
  void set_egress(std::uint32_t port, BytesPerSecond capacity) override {
    platform_->set_egress(port, capacity);
  }
  void set_ingress(std::uint32_t port, BytesPerSecond capacity) override {
    platform_->set_ingress(port, capacity);
  }

  void set_cable(std::uint32_t cable, BytesPerSecond capacity) override {
    platform_->set_cable(cable, capacity);
  }

  void solve() override {
    for (Class& c : classes_) {
      if (c.carried == c.flows) continue;
      c.carrier.action->set_sharing_penalty(1.0 / c.flows);
      c.carrier.action->set_bound(c.cap * c.flows);
      if (c.carried == 0) c.carrier.action->resume();
      c.carried = c.flows;
    }
    platform_->share();
    std::fill(egress_.begin(), egress_.end(), 0);
    std::fill(ingress_.begin(), ingress_.end(), 0);
    std::fill(cables_.begin(), cables_.end(), 0);
    for (Class& c : classes_) {
      if (c.flows == 0) continue;
      const double rate = c.carrier.action->get_rate() * 1e-12;
      if (!(rate > 0)) throw RunError("SimGrid leaves a flow without bandwidth: are rates too unlike?");
      c.rate = rate / c.flows;
      egress_[c.from] += rate;
      ingress_[c.to] += rate;
      for (const CableShare& share : paths_[c.path]) cables_[share.cable] += rate;
    }
  }
  double egress_rate(std::uint32_t port) const override { return egress_[port]; }
  double ingress_rate(std::uint32_t port) const override { return ingress_[port]; }
  double cable_rate(std::uint32_t cable) const override { return cables_[cable]; }
  double rate(std::uint32_t c) const override { return classes_[c].rate; }

  double left(std::uint32_t c) const override { return classes_[c].left; }
  void set_left(std::uint32_t c, double bytes) override { classes_[c].left = bytes; }
  void serve(double picoseconds) override {
    for (Class& c : classes_) c.left -= c.rate * picoseconds;
  }
  double first_end() const override {
    double first = std::numeric_limits<double>::infinity();
    for (const Class& c : classes_) {
      if (c.flows > 0) first = std::min(first, c.left / c.rate);
    }
    return first;
  }
  void take_ending(double noise, std::vector<Ending>& ending) override {
    for (std::uint32_t c = 0; c < classes_.size(); ++c) {
      const double slack = classes_[c].rate * kSlack + noise;
      if (classes_[c].flows > 0 && classes_[c].left <= slack) ending.push_back({c, classes_[c].left, slack});
    }
  }

 private:
  struct Class {
    std::uint32_t from = 0, to = 0, path = 0;
    double cap = 0;
    std::uint32_t flows = 0, carried = 0;  // current; as SimGrid knows
    Carrier carrier = {};
    double rate = 0, left = 0;
  };

  Lease platform_;
  std::vector<CablePath> paths_;
  std::vector<Class> classes_;
  std::vector<double> egress_, ingress_, cables_;  // by port or cable: bytes per picosecond
};

}  // namespace

extern "C" [[gnu::visibility("default")]] RateSolver* a3sim_make_simgrid_rates(const NetworkSpec& spec) {
  return new SimGridRates(spec);
}

}  // namespace a3sim
