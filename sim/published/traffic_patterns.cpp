#include "sim/published/traffic_patterns.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "sim/core/rng.h"
#include "sim/experiment/run/interruption.h"
#include "sim/network/network.h"

namespace a3sim {
namespace {

// Numbers the ports and cables that some flows use.
class FlowNetwork {
 public:
  FlowNetwork(const CableLayout& layout, const RouteRule& rule, BytesPerSecond port)
      : layout_(layout), rule_(rule) {
    spec_.egress.assign(layout.hosts(), port);
    spec_.ingress.assign(layout.hosts(), port);
    spec_.paths.emplace_back();
  }
  std::uint32_t path(std::uint32_t from, std::uint32_t to) {
    CablePath path = cable_path(layout_, from, to, rule_);
    for (CableShare& share : path) {
      const auto [known, is_new] =
          numbers_.try_emplace(share.cable, static_cast<std::uint32_t>(spec_.cables.size()));
      if (is_new) spec_.cables.push_back(layout_.cables()[share.cable].rate);
      share.cable = known->second;
    }
    spec_.paths.push_back(std::move(path));
    return static_cast<std::uint32_t>(spec_.paths.size() - 1);
  }
  const NetworkSpec& spec() const { return spec_; }

 private:
  const CableLayout& layout_;
  const RouteRule& rule_;
  NetworkSpec spec_;
  std::map<std::uint32_t, std::uint32_t> numbers_;
};

// Moves `count` entries, drawn without replacement, to the front of `from`.
void draw_first(std::vector<std::uint32_t>& from, std::uint32_t count, Rng& rng) {
  const auto size = static_cast<std::uint32_t>(from.size());
  for (std::uint32_t i = 0; i < count; ++i) std::swap(from[i], from[i + rng.below(size - i)]);
}

}  // namespace

std::vector<double> ends_of_flows(const CableLayout& layout, const RouteRule& rule, BytesPerSecond port,
                                  const std::vector<HostFlow>& flows) {
  FlowNetwork cables(layout, rule, port);
  std::vector<std::uint32_t> paths;
  for (const HostFlow& flow : flows) paths.push_back(cables.path(flow.from, flow.to));
  const auto network = Registry<NetworkBackend>::get("native").create(cables.spec());
  for (std::uint32_t f = 0; f < flows.size(); ++f)
    network->start(Time{}, {flows[f].from, flows[f].to, Bytes{flows[f].bytes}, port, f, paths[f]});
  std::vector<double> ends(flows.size(), 0);
  std::vector<std::uint32_t> ended;
  for (std::size_t done = 0; done < flows.size();) {
    check_interruption();
    const Time now = network->next_end();
    ended.clear();
    network->advance(now, ended);
    for (const std::uint32_t f : ended) ends[f] = seconds(now.time_since_epoch());
    done += ended.size();
  }
  return ends;
}

double effective_bisection(const CableLayout& layout, const RouteRule& rule, BytesPerSecond port,
                           std::uint32_t patterns, std::uint64_t seed) {
  constexpr std::int64_t kMessage = 1'000'000;
  const double alone = static_cast<double>(kMessage) / static_cast<double>(port.count);
  double sum = 0;
  std::size_t flows_run = 0;
  for (std::uint32_t pattern = 0; pattern < patterns; ++pattern) {
    Rng rng(seed, pattern);
    std::vector<std::uint32_t> hosts(layout.hosts());
    std::iota(hosts.begin(), hosts.end(), 0U);
    draw_first(hosts, layout.hosts(), rng);
    std::vector<HostFlow> flows;
    for (std::size_t h = 0; h + 1 < hosts.size(); h += 2) {
      flows.push_back({hosts[h], hosts[h + 1], kMessage});
      flows.push_back({hosts[h + 1], hosts[h], kMessage});
    }
    for (const double end : ends_of_flows(layout, rule, port, flows)) sum += alone / end;
    flows_run += flows.size();
  }
  return flows_run > 0 ? sum / static_cast<double>(flows_run) : 0;
}

double ring_of_racks(const CableLayout& layout, const RouteRule& rule, BytesPerSecond port,
                     std::uint32_t rack, std::uint32_t devices) {
  constexpr std::int64_t kMessage = 100'000'000;
  std::vector<HostFlow> flows;
  const std::uint32_t racks = layout.hosts() / rack;
  for (std::uint32_t r = 0; r < racks; ++r)
    for (std::uint32_t d = 0; d < devices; ++d)
      flows.push_back({r * rack + d, (r + 1) % racks * rack + d, kMessage});
  const std::vector<double> ends = ends_of_flows(layout, rule, port, flows);
  return static_cast<double>(kMessage) / static_cast<double>(port.count) / *std::ranges::max_element(ends);
}

NodeExchangeResult exchange_over_nodes(const NodeExchange& exchange, const CableLayout& layout,
                                       const RouteRule& rule, BytesPerSecond port, BytesPerSecond inside) {
  const std::uint32_t devices = exchange.nodes * exchange.node, per_device = exchange.experts / devices;
  const std::uint32_t groups =
      exchange.groups > 0 ? std::min(exchange.groups, exchange.nodes) : exchange.nodes;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>
      between;  // rows by source and destination device
  std::vector<std::int64_t> sent_inside(devices, 0), received_inside(devices, 0);
  std::int64_t remote = 0, all = 0;
  std::vector<std::uint32_t> nodes(exchange.nodes), experts(std::size_t{groups} * exchange.node * per_device);
  std::iota(nodes.begin(), nodes.end(), 0U);
  for (std::uint32_t source = 0; source < devices; ++source) {
    Rng rng(exchange.seed, source);
    check_interruption();
    const std::uint32_t own = source / exchange.node, local = source % exchange.node;
    for (std::uint32_t token = 0; token < exchange.tokens; ++token) {
      draw_first(nodes, groups, rng);
      std::iota(experts.begin(), experts.end(), 0U);
      draw_first(experts, exchange.top_k, rng);
      std::set<std::uint32_t> to;  // devices
      for (std::uint32_t k = 0; k < exchange.top_k; ++k) {
        const std::uint32_t slot = experts[k] / per_device;  // among the devices of the drawn nodes
        to.insert(nodes[slot / exchange.node] * exchange.node + slot % exchange.node);
      }
      std::set<std::uint32_t> met;  // nodes
      for (const std::uint32_t device : to) {
        const std::uint32_t node = device / exchange.node, gate = node * exchange.node + local;
        met.insert(node);
        if (device == gate) continue;
        ++sent_inside[gate];
        ++received_inside[device];
      }
      for (const std::uint32_t node : met) {
        ++all;
        if (node == own) continue;
        ++remote;
        ++between[{source, node * exchange.node + local}];
      }
    }
  }
  std::vector<HostFlow> flows;
  for (const auto& [ends, rows] : between) flows.push_back({ends.first, ends.second, rows * exchange.row});
  const std::vector<double> times = ends_of_flows(layout, rule, port, flows);
  NodeExchangeResult result;
  result.time = times.empty() ? 0 : *std::ranges::max_element(times);
  const auto row = static_cast<double>(exchange.row), rate = static_cast<double>(inside.count);
  for (std::uint32_t device = 0; device < devices; ++device) {
    const auto most = static_cast<double>(std::max(sent_inside[device], received_inside[device]));
    result.inside_time = std::max(result.inside_time, most * row / rate);
  }
  result.time = std::max(result.time, result.inside_time);
  result.between = static_cast<double>(remote) * row / devices;
  result.with_own = static_cast<double>(all) * row / devices;
  return result;
}

}  // namespace a3sim
