#include <xbt/log.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "sim/network/modules/simgrid_star.h"
#include "tests/machine/network_reference.h"

using namespace a3sim;
using namespace a3sim::testing;
namespace s4u = simgrid::s4u;
namespace resource = simgrid::kernel::resource;

namespace {

// Loads that run beside each other in one engine, each through hosts and links of its own: SimGrid shares the
// bandwidth, keeps the clock and ends the transfers, one of its own for each flow.
class PlainSimGrid {
 public:
  PlainSimGrid() {
    xbt_log_control_set("root.thres:warning");
    // Sanitizers do not know SimGrid's own stacks.
    char name[] = "plain", threads[] = "--cfg=contexts/factory:thread";
    char* arguments[] = {name, threads, nullptr};
    int count = 2;
    engine_ = new s4u::Engine(&count, arguments);
    for (const char* setting : {"network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0",
                                "network/optim:Full", "surf/precision:1e-14", "maxmin/precision:1e-12"})
      s4u::Engine::set_config(std::string(setting));
    star_ = add_star(*engine_, "star");
    driver_ = add_host(*star_, "driver");
  }

  void add(const Load& load) {
    const std::size_t egress = hosts_.size(), ingress = egress + load.egress.size();
    for (std::int64_t rate : load.egress) add_port(rate, true);
    for (std::int64_t rate : load.ingress) add_port(rate, false);
    for (const Put& p : load.puts) flows_.push_back({p, hosts_[egress + p.from], hosts_[ingress + p.to]});
  }

  // Times of ends in seconds, in order of the loads and of their flows.
  std::vector<double> run() {
    star_->seal();
    for (resource::Model* model : engine_->get_all_models()) {
      if (model->get_name().starts_with("Network")) network_ = model;
    }
    add_actor([this] { start_all(); });
    engine_->run();
    std::vector<double> ends;
    for (const Running& flow : flows_) ends.push_back(flow.comm->get_finish_time());
    return ends;
  }

 private:
  struct Running {
    Put put;
    s4u::Host *from, *to;
    s4u::CommPtr comm = nullptr;
  };

  void add_port(std::int64_t rate, bool egress) {
    const std::string name = std::to_string(hosts_.size());
    s4u::Host* const host = add_host(*star_, name);
    const s4u::Link* link = add_link(*star_, name, static_cast<double>(rate))->set_latency(0)->seal();
    const std::vector<s4u::LinkInRoute> route{s4u::LinkInRoute(link)};
    egress ? add_way_out(*star_, *host, route) : add_way_in(*star_, *host, route);
    hosts_.push_back(host);
  }

  template <class Code>
  void add_actor(const Code& code) {
#if SIMGRID_VERSION >= 40000
    engine_->add_actor("driver", driver_, code);
#else
    s4u::Actor::create("driver", driver_, code);
#endif
  }

  void start_all() {
    std::vector<Running*> by_start;
    for (Running& flow : flows_) by_start.push_back(&flow);
    std::stable_sort(by_start.begin(), by_start.end(),
                     [](const Running* a, const Running* b) { return a->put.start < b->put.start; });
    for (Running* flow : by_start) {
      s4u::this_actor::sleep_until(static_cast<double>(flow->put.start) * 1e-12);
      flow->comm = s4u::Comm::sendto_init();
      flow->comm->set_payload_size(static_cast<std::uint64_t>(flow->put.bytes))->set_source(flow->from);
      flow->comm->set_destination(flow->to);  // starts it
      network_->get_started_action_set()->back().set_bound(static_cast<double>(flow->put.cap));
    }
    for (Running& flow : flows_) flow.comm->wait();
  }

  s4u::Engine* engine_;
  s4u::NetZone* star_;
  s4u::Host* driver_;
  resource::Model* network_ = nullptr;
  std::vector<s4u::Host*> hosts_;
  std::vector<Running> flows_;
};

}  // namespace

TEST_CASE("transfers that SimGrid runs by itself end within a picosecond of the native network's") {
  PlainSimGrid simgrid;  // a process can have one
  std::vector<std::tuple<std::uint64_t, std::uint32_t, std::int64_t>> expected;
  for (std::uint64_t seed = 9000; seed < 9040; ++seed) {
    const Load load = random_load(seed, seed % 2 ? Ports::kMixed : Ports::kEqual);
    simgrid.add(load);
    std::vector<End> ends = run(*create("native", load.egress, load.ingress), load.puts);
    std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.token < b.token; });
    for (const End& e : ends) expected.emplace_back(seed, e.token, e.time);
  }
  const std::vector<double> ends = simgrid.run();
  REQUIRE(ends.size() == expected.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto [seed, token, time] = expected[i];
    INFO("seed " << seed << ", flow " << token);
    // The native time is rounded up to a whole picosecond.
    REQUIRE(1e12 * ends[i] <= static_cast<double>(time) + 0.01);
    REQUIRE(1e12 * ends[i] > static_cast<double>(time) - 1.01);
  }
}
