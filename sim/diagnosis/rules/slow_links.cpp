#include "sim/diagnosis/rules/slow_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "sim/core/statistics.h"

namespace a3sim {
namespace {

double log_rate(const TransferRecord& put) { return std::log(put.bytes / seconds(put.length())); }

// Returns rates by source and destination: the median over puts, each relative to the median of its operator,
// pass and plane.
LinkRates rates_of(const SteadyState& job) {
  using Kind = std::tuple<std::uint16_t, std::uint32_t, std::uint16_t>;
  const std::size_t ranks = job.mean.size();
  std::map<Kind, std::vector<double>> kinds;
  const auto counts = [&](const TransferRecord& put) {
    return put.bytes > 0 && put.end > put.start && put.src < ranks && put.dst < ranks;
  };
  for (const FullStep& step : job.full)
    for (const TransferRecord& put : step.transfers)
      if (counts(put)) kinds[{put.pass, put.op, put.plane}].push_back(log_rate(put));
  std::map<Kind, double> usual;
  for (auto& [kind, rates] : kinds) usual[kind] = median(std::move(rates));
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>> links;
  LinkRates of_links(ranks);
  for (const FullStep& step : job.full) {
    for (const TransferRecord& put : step.transfers) {
      if (!counts(put)) continue;
      links[{put.src, put.dst}].push_back(log_rate(put) - usual[{put.pass, put.op, put.plane}]);
      of_links.add_longest(put);
    }
  }
  for (auto& [link, rates] : links) of_links.cells[link.first][link.second] = median(std::move(rates));
  of_links.polish = median_polish(of_links.cells);
  return of_links;
}

// Merges both sides of a rank's ports into one, with the rate of the slower.
std::vector<SlowLink> with_sides_joined(const std::vector<SlowLink>& sides) {
  std::vector<SlowLink> ports;
  for (const SlowLink& side : sides) {
    if (ports.empty() || ports.back().rank != side.rank) {
      ports.push_back(side);
      continue;
    }
    if (side.factor < ports.back().factor) ports.back() = side;
    ports.back().egress = ports.back().ingress = true;
  }
  return ports;
}

// Names the link in a finding and adds its rate, as a part of `usual`, as evidence.
void add_link(const SlowLink& link, std::string_view usual, double threshold, const Observation& observation,
              Finding& finding) {
  std::string what;
  finding.ranks.clear();
  if (link.kind == SlowLink::Kind::kPort) {
    finding.ranks = {link.rank};
    finding.side = link.egress && link.ingress ? "both" : link.egress ? "egress" : "ingress";
    what = fmt::format("rate through rank {}'s ports ({})", link.rank, finding.side);
  } else if (link.kind == SlowLink::Kind::kPath) {
    finding.links = {{link.from, link.to}};
    what = fmt::format("rate from rank {} to rank {}", link.from, link.to);
  } else {
    finding.ranks = observation.all_ranks();
    what = "rate of all transfers";
  }
  finding.add({fmt::format("{}, of {}", what, usual), "", link.factor, threshold,
               link.longest ? observation.place_of(*link.longest) : RecordPlace()});
}

}  // namespace

std::vector<SlowLink> slow_links(const Slowdown& slowdown, double slow) {
  if (slowdown.transfers.puts.empty()) return {};
  const LinkRates& rates = slowdown.transfers.rates;
  const double low = std::log(slow);
  std::vector<SlowLink> links = with_sides_joined(slow_ports(rates, low, slowdown.shared.at("port_among")));
  const std::vector<SlowLink> paths = slow_paths(rates, low, slowdown.shared.at("path_among"));
  links.insert(links.end(), paths.begin(), paths.end());
  if (rates.polish.overall < low && links.empty()) {
    SlowLink& all = links.emplace_back();
    all.kind = SlowLink::Kind::kAll;
    all.factor = std::exp(rates.polish.overall);
  }
  keep_slowest(links, slowdown.shared.at("link_beside"));
  return links;
}

std::vector<SlowLink> slow_links(const SteadyState& job, double slow) {
  const LinkRates rates = rates_of(job);
  const double low = std::log(slow);
  std::vector<SlowLink> links = slow_ports(rates, low, 0);
  const std::vector<SlowLink> paths = slow_paths(rates, low, 0);
  links.insert(links.end(), paths.begin(), paths.end());
  keep_slowest(links, job.shared.at("link_beside"));
  return links;
}

double communication_share(const Slowdown& slowdown) {
  double transfer = 0, own = 1, cores = 0;
  for (std::uint32_t r = 0; r < slowdown.observation.ranks(); ++r) {
    transfer = std::max(transfer, slowdown.excess(Measure::kTransfer, r));
    own = std::max(own, slowdown.excess(Measure::kOwn, r));
    cores = std::max(cores, slowdown.excess(Measure::kAic, r) / slowdown.workers(CoreKind::kCube));
  }
  return std::clamp(std::min(transfer, own - cores) / own, 0.0, 1.0);
}

Finding finding_of(const Slowdown& slowdown, const SlowLink& link, double threshold) {
  Finding finding;
  finding.factor = link.factor;
  finding.confidence = communication_share(slowdown);
  add_link(link, "the usual", threshold, slowdown.observation, finding);
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
  finding.confidence = 1;
  return finding;
}

Finding finding_of(const SteadyState& job, const SlowLink& link, double threshold) {
  Finding finding = finding_of_transfers(job, link.factor);
  add_link(link, "that elsewhere in the same exchanges", threshold, job.observation, finding);
  return finding;
}

}  // namespace a3sim
