#include "sim/diagnosis/rules/slow_links.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "sim/core/statistics.h"
#include "sim/diagnosis/rules/link_matrix.h"
#include "sim/diagnosis/rules/node_links.h"
#include "traces/analysis/stretches.h"

namespace a3sim {
namespace {

double log_rate(const TransferRecord& put) { return std::log(put.bytes / seconds(put.length())); }

// Tells which puts shared the ports of a rank at one of their ends with another operator's communication.
class SharedPorts {
 public:
  explicit SharedPorts(const FullStep& step) {
    for (const OperatorRecord& record : step.operators)
      if (record.lane == Lane::kCommunication && record.sent_bytes > 0)
        ranks_[record.rank].push_back(&record);
  }

  // Returns whether they did for more than half of the put's time.
  bool held(const TransferRecord& put) const {
    Duration shared{};
    for (const std::uint32_t rank : {put.src, put.dst}) {
      const auto records = ranks_.find(rank);
      if (records == ranks_.end()) continue;
      for (const OperatorRecord* record : records->second)
        if (record->op != put.op || record->pass != put.pass)
          shared = std::max(shared, std::min(record->end, put.end) - std::max(record->start, put.start));
    }
    return 2 * shared > put.length();
  }

 private:
  std::map<std::uint32_t, std::vector<const OperatorRecord*>> ranks_;
};

// Returns rates by source and destination: the median over puts, each relative to the median of its operator,
// pass and plane, among those that shared their ports with other operators or among those that did not.
LinkRates rates_of(const SteadyState& job) {
  using Kind = std::tuple<std::uint16_t, std::uint32_t, std::uint16_t, bool>;
  using Link = std::pair<std::uint32_t, std::uint32_t>;
  struct Rate {
    Kind kind;
    Link link;
    double log_rate;
  };
  const std::size_t ranks = job.mean.size();
  LinkRates of_links(ranks);
  std::vector<Rate> rates;
  std::map<Kind, std::vector<double>> kinds;
  for (const FullStep& step : job.full) {
    const SharedPorts ports(step);
    for (const TransferRecord& put : step.transfers) {
      if (put.bytes <= 0 || put.end <= put.start || put.src >= ranks || put.dst >= ranks) continue;
      const Kind kind{put.pass, put.op, put.plane, ports.held(put)};
      rates.push_back({kind, {put.src, put.dst}, log_rate(put)});
      kinds[kind].push_back(rates.back().log_rate);
      of_links.add_longest(put);
    }
  }
  std::map<Kind, double> usual;
  for (auto& [kind, all] : kinds) usual[kind] = median(std::move(all));
  std::map<Link, std::vector<double>> links;
  for (const Rate& rate : rates) links[rate.link].push_back(rate.log_rate - usual[rate.kind]);
  for (auto& [link, own] : links) of_links.cells[link.first][link.second] = median(std::move(own));
  return of_links;
}

// Returns what a set of ranks has in common, or an empty text.
std::string name_of_set(const std::vector<std::uint32_t>& ranks, const Observation& observation) {
  const std::vector<std::uint32_t>& nodes = observation.nodes();
  if (ranks.size() < 2 || ranks.size() == observation.ranks()) return {};
  const std::uint32_t node = nodes[ranks.front()];
  const auto of_node = static_cast<std::size_t>(std::ranges::count(nodes, node));
  const bool all = std::ranges::all_of(ranks, [&](std::uint32_t r) { return nodes[r] == node; });
  return all && of_node == ranks.size() ? fmt::format("node {}", node) : std::string();
}

std::string name_of_ports(const SlowLink& link, const Finding& finding, const Observation& observation) {
  const std::string set = name_of_set(link.ranks, observation);
  if (!set.empty()) return fmt::format("rate through the ports of {} ({})", set, finding.side);
  if (link.ranks.size() == 1)
    return fmt::format("rate through rank {}'s ports ({})", link.ranks.front(), finding.side);
  return fmt::format("rate through the ports of ranks {} ({})", fmt::join(link.ranks, ", "), finding.side);
}

// Names the link in a finding and adds its rate, as a part of `usual`, as evidence.
void add_link(const SlowLink& link, std::string_view usual, double threshold, const Observation& observation,
              Finding& finding) {
  std::string what;
  finding.ranks = link.ranks;
  if (link.kind == SlowLink::Kind::kPorts) {
    finding.side = link.egress && link.ingress ? "both" : link.egress ? "egress" : "ingress";
    what = name_of_ports(link, finding, observation);
    finding.set = name_of_set(link.ranks, observation);
  } else if (link.kind == SlowLink::Kind::kPlane) {
    what = fmt::format("rate over plane {}", observation.machine().planes[link.plane].name);
  } else if (link.kind == SlowLink::Kind::kPath) {
    finding.links = {{link.from, link.to}};
    what = fmt::format("rate from rank {} to rank {}", link.from, link.to);
  } else {
    finding.ranks = observation.all_ranks();
    what = "rate of all transfers";
  }
  finding.add({fmt::format("{} is {{}} of {}", what, usual), "", link.factor, threshold,
               link.longest ? observation.place_of(*link.longest) : RecordPlace()});
}

SlowLinkLimits limits_of(const RuleData& shared, double slow) {
  return {std::log(slow), shared.at("port_among"), shared.at("path_among"), shared.at("link_beside")};
}

// Computes bytes over the time in which a port has transfers, in bytes per second; 0 if it had none.
class BusyRate {
 public:
  void add(const TransferRecord& put) {
    bytes_ += put.bytes;
    busy_.emplace_back(put.start, put.end);
  }
  double rate() {
    unite(busy_);
    const double time = seconds(length_of(busy_));
    return time > 0 ? bytes_ / time : 0;
  }

 private:
  double bytes_ = 0;
  Stretches busy_;
};

// Returns the remaining part of a port's rate. Ports that were well used carry now what they can; of others it is only known
// how much less they carry.
double rest_of_port(BusyRate& now, BusyRate& usual, const ObservedPlane& plane, double well_used) {
  const double here = now.rate(), before = usual.rate();
  if (here <= 0 || before <= 0) return 1;
  return std::min(1.0, plane.port > 0 && before > well_used * plane.port ? here / plane.port : here / before);
}

// Adds the rate of the link's busiest side, now and usually, and sets the finding's factor from the plane that is slowest.
void add_busy_rate(const Slowdown& slowdown, const SlowLink& link, double slow, Finding& finding) {
  if (link.kind != SlowLink::Kind::kPorts) return;
  const std::uint32_t rank = link.ranks.front();
  BusyRate now, usual;
  std::map<std::uint16_t, std::pair<BusyRate, BusyRate>> planes;
  for (const auto& [key, puts] : slowdown.transfers.puts) {
    if ((link.egress ? key.src : key.dst) != rank) continue;
    for (const TransferRecord* put : puts.now) {
      now.add(*put);
      planes[put->plane].first.add(*put);
    }
    for (const TransferRecord* put : puts.usual) {
      usual.add(*put);
      planes[put->plane].second.add(*put);
    }
  }
  constexpr double kGiga = 1e9;
  const double here = now.rate(), before = usual.rate();
  if (here <= 0 || before <= 0) return;
  finding.factor = std::min(1.0, here / before);
  finding.carries_less = finding.factor < slowdown.shared.at("port_slow");
  // A port that carries as much as ever while it is busy may only share it among more.
  if (here > slow * before) finding.doubt = slowdown.shared.at("port_as_busy");
  const std::vector<ObservedPlane>& known = slowdown.observation.machine().planes;
  for (auto& [plane, rates] : planes)
    if (plane < known.size())
      finding.factor = std::min(finding.factor, rest_of_port(rates.first, rates.second, known[plane],
                                                             slowdown.shared.at("port_well_used")));
  finding.add(
      {fmt::format("rank {}'s ports carry {{}} while they are busy, usually {:.4g}", rank, before / kGiga),
       "GB/s", here / kGiga, slow * before / kGiga, finding.evidence.front().place});
}

// Returns the ranks at the other ends of a link's slow transfers, if their ports may as well be the slow ones: nothing else that
// goes through these is healthy. Empty if not, or for a single rank.
std::vector<std::uint32_t> other_ends(const Slowdown& slowdown, const SlowLink& link, double slow) {
  if (link.kind != SlowLink::Kind::kPorts || link.egress == link.ingress || link.ranks.size() < 2) return {};
  const LinkRates& rates = slowdown.transfers.rates;
  const auto cell = [&](std::uint32_t own, std::uint32_t other) {
    return link.egress ? std::pair(own, other) : std::pair(other, own);
  };
  const auto plane_of = [&](const std::pair<std::uint32_t, std::uint32_t>& way) -> std::uint32_t {
    const TransferRecord* put = rates.longest[way.first][way.second];
    return put ? put->plane : kNone;
  };
  const auto is_slow = [&](const std::pair<std::uint32_t, std::uint32_t>& way) {
    return rates.cells[way.first][way.second] < std::log(slow);
  };
  std::set<std::uint32_t> ends, planes;
  for (const std::uint32_t own : link.ranks)
    for (std::uint32_t other = 0; other < rates.cells.size(); ++other)
      if (const auto way = cell(own, other); is_slow(way)) {
        ends.insert(other);
        planes.insert(plane_of(way));
      }
  if (ends.size() < 2) return {};
  for (const std::uint32_t end : ends)
    for (std::uint32_t other = 0; other < rates.cells.size(); ++other)
      if (const auto way = cell(other, end);
          !std::isnan(rates.cells[way.first][way.second]) && planes.contains(plane_of(way)) && !is_slow(way))
        return {};
  return {ends.begin(), ends.end()};
}

// Returns the ranks on both sides of a plane's ways, if each way goes from one side to the other: two supernodes. Then slow
// ports of either side make all of them slow. Empty if there are no such sides.
std::array<std::vector<std::uint32_t>, 2> sides_of_plane(const LinkRates& rates, std::uint16_t plane) {
  std::map<std::uint32_t, int> side;
  const auto joined = [&](std::uint32_t a, std::uint32_t b) {
    const auto is_way = [&](const TransferRecord* put) { return put && put->plane == plane; };
    return is_way(rates.longest[a][b]) || is_way(rates.longest[b][a]);
  };
  const auto ranks = static_cast<std::uint32_t>(rates.longest.size());
  for (std::uint32_t first = 0; first < ranks; ++first) {
    if (side.contains(first)) continue;
    std::vector<std::uint32_t> open{first};
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (std::uint32_t other = 0; other < ranks; ++other) {
        if (!joined(open[i], other)) continue;
        side.try_emplace(first, 0);
        const int expected = 1 - side.at(open[i]);
        const auto [found, added] = side.try_emplace(other, expected);
        if (found->second != expected) return {};
        if (added) open.push_back(other);
      }
    }
  }
  std::array<std::vector<std::uint32_t>, 2> sides;
  for (const auto& [rank, of_it] : side) sides[static_cast<std::size_t>(of_it)].push_back(rank);
  return sides;
}

void doubt_plane(const Slowdown& slowdown, const SlowLink& link, Finding& finding) {
  const auto sides = sides_of_plane(slowdown.transfers.rates, link.plane);
  if (sides[0].empty()) return;
  finding.doubt = std::max(finding.doubt, 1.0 / 2);
  finding.missing.push_back(
      fmt::format("which end is slow: it may be the ports of ranks {} alone, or those of ranks {}",
                  fmt::join(sides[0], ", "), fmt::join(sides[1], ", ")));
}

// Says that the ports at the other ends may be the slow ones.
void doubt_side(const Slowdown& slowdown, const SlowLink& link, double slow, Finding& finding) {
  const std::vector<std::uint32_t> ends = other_ends(slowdown, link, slow);
  if (ends.empty()) return;
  finding.doubt = std::max(finding.doubt, 1.0 / 2);
  const std::string set = name_of_set(ends, slowdown.observation);
  finding.missing.push_back(fmt::format("which end is slow: it may be the {} of {} as well",
                                        link.egress ? "ingress" : "egress",
                                        set.empty() ? fmt::format("ranks {}", fmt::join(ends, ", ")) : set));
}

// Says that the port at an end of a path may be the slow one, if nothing else was seen to go through it as ever.
void doubt_path(const Slowdown& slowdown, const SlowLink& link, Finding& finding) {
  const LinkRates& rates = slowdown.transfers.rates;
  const TransferRecord* of_path = rates.longest[link.from][link.to];
  const double limit = slowdown.shared.at("path_among") * rates.cells[link.from][link.to];
  const auto is_healthy = [&](std::uint32_t from, std::uint32_t to) {
    const TransferRecord* put = rates.longest[from][to];
    return put && of_path && put->plane == of_path->plane && rates.cells[from][to] > limit;
  };
  bool from = false, to = false;
  for (std::uint32_t other = 0; other < rates.cells.size(); ++other) {
    from |= is_healthy(link.from, other);
    to |= is_healthy(other, link.to);
  }
  if (from && to) return;
  finding.doubt = std::max(finding.doubt, slowdown.shared.at("path_or_port"));
  finding.missing.push_back(fmt::format(
      "whether it is the path: it may be the {} of rank {}'s ports as well, through which nothing "
      "else goes as ever",
      from ? "ingress" : "egress", from ? link.to : link.from));
}

// Returns the part of a step's lag that a way explains which carries less whatever the load: what growing work of cores and
// waits for hosts leave. It counts waits of ranks for bytes that come late, too.
double share_of_slow_way(const Slowdown& slowdown) {
  double cores = 0, hosts = 0, transfer = 0;
  for (std::uint32_t r = 0; r < slowdown.observation.ranks(); ++r) {
    cores = std::max(cores, slowdown.excess(Measure::kAic, r) / slowdown.workers(CoreKind::kCube));
    hosts = std::max({hosts, slowdown.excess(Measure::kDelay, r), slowdown.excess(Measure::kLate, r)});
    transfer = std::max(transfer, slowdown.excess(Measure::kTransfer, r));
  }
  const double lag = std::max(1.0, slowdown.lag());
  return std::clamp(std::min(transfer, lag - cores - hosts) / lag, 0.0, 1.0);
}

}  // namespace

std::vector<SlowLink> slow_links(const Slowdown& slowdown, double slow) {
  if (slowdown.transfers.puts.empty()) return {};
  std::vector<SlowLink> links = slow_links_of(slowdown.transfers.rates, limits_of(slowdown.shared, slow));
  join_nodes(slowdown.observation.nodes(), slowdown.transfers.rates, links);
  return links;
}

std::vector<SlowLink> slow_links(const SteadyState& job, double slow) {
  const ProfiledTime* matrix = matrix_of(job);
  const LinkRates rates = matrix ? rates_of_matrix(job, *matrix) : rates_of(job);
  std::vector<SlowLink> links = slow_links_of(rates, limits_of(job.shared, slow));
  join_nodes(job.observation.nodes(), rates, links);
  std::erase_if(links, [](const SlowLink& link) { return link.kind == SlowLink::Kind::kAll; });
  return links;
}

double communication_share(const Slowdown& slowdown) {
  const double own = slowdown.own_lag();
  double transfer = 0, beside_cores = 0;
  for (std::uint32_t r = 0; r < slowdown.observation.ranks(); ++r) {
    const double cores = slowdown.excess(Measure::kAic, r) / slowdown.workers(CoreKind::kCube);
    transfer = std::max(transfer, slowdown.excess(Measure::kTransfer, r));
    beside_cores = std::max(beside_cores, slowdown.excess(Measure::kOwn, r) - std::max(0.0, cores));
  }
  return std::clamp(std::min(transfer, beside_cores) / own, 0.0, 1.0);
}

Finding finding_of(const Slowdown& slowdown, const SlowLink& link, double threshold) {
  Finding finding;
  finding.factor = link.factor;
  finding.explains = communication_share(slowdown);
  add_link(link, "the usual", threshold, slowdown.observation, finding);
  add_busy_rate(slowdown, link, threshold, finding);
  doubt_side(slowdown, link, threshold, finding);
  if (link.kind == SlowLink::Kind::kPlane) doubt_plane(slowdown, link, finding);
  if (link.kind == SlowLink::Kind::kPath) {
    finding.carries_less = finding.factor < slowdown.shared.at("path_slow");
    doubt_path(slowdown, link, finding);
  }
  if (finding.carries_less) finding.explains = std::max(finding.explains, share_of_slow_way(slowdown));
  return finding;
}

Finding finding_of_transfers(const SteadyState& job, double part) {
  Finding finding;
  std::map<std::uint32_t, double> sooner;
  for (std::uint32_t rank = 0; rank < job.mean.size(); ++rank) {
    finding.ranks.push_back(rank);
    if (const std::optional<SteadyState::Lanes> lanes = job.lanes(rank))
      sooner[rank] = lanes->communication * (1 - part);
  }
  finding.factor = part;
  finding.lost_ms = job.gain(job.for_all_ranks(sooner)) / kPicosecondsOfMs;
  finding.explains = 1;
  return finding;
}

Finding finding_of(const SteadyState& job, const SlowLink& link, double threshold) {
  Finding finding = finding_of_transfers(job, link.factor);
  add_link(link, "that elsewhere in the same exchanges", threshold, job.observation, finding);
  if (const ProfiledTime* matrix = matrix_of(job)) add_matrix_link(link, *matrix, threshold, finding);
  return finding;
}

}  // namespace a3sim
