#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/published/measures.h"
#include "sim/published/traffic_patterns.h"

namespace a3sim {
namespace {

// A measurement that a table takes on a network, which the experiment describes.
struct MeasuredTraffic {
  const PublishedKernel& kernel;
  const Experiment& experiment;
  std::uint32_t count(const char* key, std::uint32_t fallback = 0) const {
    const auto found = kernel.numbers.find(key);
    return found == kernel.numbers.end() ? fallback : static_cast<std::uint32_t>(found->second);
  }
  const CablePlane& cables() const {
    if (experiment.run.cables.size() == 1) return experiment.run.cables.front();
    throw InputError(fmt::format("{}: expected one plane with cables (network.topology), and it has {}",
                                 kernel.measure, experiment.run.cables.size()));
  }
  const Hardware::Fabric::Plane& plane(std::uint32_t number) const {
    return experiment.hardware.fabric.planes.at(number);
  }
};

// Measures random pairs of all hosts, as a share of what one pair alone gets over its hosts' cables.
double bisection(const MeasuredTraffic& measured) {
  const CablePlane& plane = measured.cables();
  return effective_bisection(*plane.layout, plane.rule, plane.layout->cables().front().rate,
                             measured.count("patterns"), measured.count("seed", 1));
}

double part_of_ring(const MeasuredTraffic& measured, const RouteRule& rule) {
  const CablePlane& plane = measured.cables();
  const std::uint32_t rack = measured.count("rack"), devices = measured.count("devices");
  if (devices == 0 || devices > rack || 2 * rack > plane.layout->hosts())
    throw InputError(fmt::format("{}: expected 1 to {} devices, and at least two racks of {} hosts",
                                 measured.kernel.measure, rack, rack));
  return ring_of_racks(*plane.layout, rule, plane.layout->cables().front().rate, rack, devices);
}
double ring_loss(const MeasuredTraffic& measured) {
  return 1 - part_of_ring(measured, measured.cables().rule);
}
// The gain of hashing a message over several ways: the ratio of the mean times of rings, less 1, over `patterns` seeds.
double ring_gain(const MeasuredTraffic& measured) {
  double one = 0, several = 0;
  for (std::uint32_t seed = 1; seed <= measured.count("patterns"); ++seed) {
    RouteRule rule = measured.cables().rule;
    rule.seed = seed;
    several += 1 / part_of_ring(measured, rule);
    rule.flows = 1;
    one += 1 / part_of_ring(measured, rule);
  }
  return one / several - 1;
}

NodeExchangeResult exchange_of(const MeasuredTraffic& measured) {
  const CablePlane& plane = measured.cables();
  NodeExchange exchange;
  exchange.nodes = measured.count("nodes");
  exchange.node = measured.count("devices");
  exchange.tokens = measured.count("tokens");
  exchange.experts = measured.count("experts");
  exchange.top_k = measured.count("top_k");
  exchange.groups = measured.count("groups");
  exchange.row = measured.count("bytes");
  const Hardware::Fabric::Level& node = measured.experiment.hardware.fabric.levels.front();
  return exchange_over_nodes(exchange, *plane.layout, plane.rule, measured.plane(plane.plane).egress,
                             measured.plane(node.plane).egress);
}

// Returns bytes per second of a device, including rows that stay in its node, as DeepEP's tests count.
double exchange_with_own(const MeasuredTraffic& measured) {
  const NodeExchangeResult result = exchange_of(measured);
  return result.with_own / result.time;
}
// Counts only rows that leave the node.
double exchange_between(const MeasuredTraffic& measured) {
  const NodeExchangeResult result = exchange_of(measured);
  return result.between / result.time;
}

// The bytes that a device sends to others of its node, for the device that sends or receives most.
double exchange_inside(const MeasuredTraffic& measured) {
  const NodeExchangeResult result = exchange_of(measured);
  const Hardware::Fabric::Level& node = measured.experiment.hardware.fabric.levels.front();
  return result.inside_time * static_cast<double>(measured.plane(node.plane).egress.count) / result.time;
}

// Returns the time of a pass, or the bytes of a rank's rows, `bytes` each, over this time.
double pass_time(const MeasuredTraffic& measured, const char* name) {
  for (const PassResult& pass : run_experiment(measured.experiment, false))
    if (pass.name == name) return seconds(pass.run.makespan);
  throw InputError(fmt::format("{}: the experiment has no pass '{}'", measured.kernel.measure, name));
}
double rank_bytes(const MeasuredTraffic& measured) {
  const MoeShape& shape = measured.experiment.shape;
  return static_cast<double>(shape.tokens) * shape.top_k * measured.count("bytes");
}
constexpr double kPicoseconds = 1e12;
double dispatch_time(const MeasuredTraffic& measured) {
  return pass_time(measured, "dispatch") * kPicoseconds;
}
double combine_time(const MeasuredTraffic& measured) { return pass_time(measured, "combine") * kPicoseconds; }
double dispatch_rate(const MeasuredTraffic& measured) {
  return rank_bytes(measured) / pass_time(measured, "dispatch");
}
double combine_rate(const MeasuredTraffic& measured) {
  return rank_bytes(measured) / pass_time(measured, "combine");
}

struct TrafficKind {
  std::string_view name;
  double (*measure)(const MeasuredTraffic&);
  std::vector<std::string_view> numbers;  // that it needs
};

const std::vector<TrafficKind>& traffic_kinds() {
  static const std::vector<std::string_view> kExchange{"nodes",   "devices", "tokens",
                                                       "experts", "top_k",   "bytes"};
  static const std::vector<TrafficKind> kKinds{{"effective bisection", bisection, {"patterns"}},
                                               {"ring loss", ring_loss, {"rack", "devices"}},
                                               {"ring gain", ring_gain, {"rack", "devices", "patterns"}},
                                               {"exchange over nodes", exchange_with_own, kExchange},
                                               {"exchange between nodes", exchange_between, kExchange},
                                               {"exchange inside nodes", exchange_inside, kExchange},
                                               {"dispatch", dispatch_time, {}},
                                               {"combine", combine_time, {}},
                                               {"dispatch rate", dispatch_rate, {"bytes"}},
                                               {"combine rate", combine_rate, {"bytes"}}};
  return kKinds;
}

const TrafficKind& traffic_kind(const PublishedTable& table, const PublishedKernel& kernel) {
  const auto known = std::ranges::find(traffic_kinds(), kernel.measure, &TrafficKind::name);
  std::vector<std::string_view> names;
  for (const TrafficKind& kind : traffic_kinds()) names.push_back(kind.name);
  if (known == traffic_kinds().end())
    throw InputError(fmt::format("{}: kernels: unknown measure '{}'; known: {}", table.name, kernel.measure,
                                 fmt::join(names, ", ")));
  for (const std::string_view number : known->numbers)
    if (!kernel.numbers.contains(number))
      throw InputError(fmt::format("{}: kernels: '{}' needs {}", table.name, kernel.measure,
                                   fmt::join(known->numbers, ", ")));
  return *known;
}

}  // namespace

double measured_traffic(const PublishedTable& table, const PublishedKernel& kernel,
                        const Experiment& experiment) {
  return traffic_kind(table, kernel).measure({kernel, experiment});
}

}  // namespace a3sim
