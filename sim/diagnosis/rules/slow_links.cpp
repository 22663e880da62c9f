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

// By source and destination: the median over its puts, each beside the median of its operator, pass and plane.
LinkRates rates_of(const Standing& of) {
  using Kind = std::tuple<std::uint16_t, std::uint32_t, std::uint16_t>;
  const std::size_t ranks = of.mean.size();
  std::map<Kind, std::vector<double>> kinds;
  const auto counts = [&](const TransferRecord& put) {
    return put.bytes > 0 && put.end > put.start && put.src < ranks && put.dst < ranks;
  };
  for (const FullStep& step : of.full)
    for (const TransferRecord& put : step.transfers)
      if (counts(put)) kinds[{put.pass, put.op, put.plane}].push_back(log_rate(put));
  std::map<Kind, double> usual;
  for (auto& [kind, rates] : kinds) usual[kind] = median(std::move(rates));
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>> links;
  LinkRates of_links(ranks);
  for (const FullStep& step : of.full) {
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

// Both sides of a rank's ports as one, with the slower one's rate.
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

// Names the link in a finding, and gives its rate as evidence, which is a part of `usual`.
void add_link(const SlowLink& link, std::string_view usual, double threshold, const Observation& of,
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
    finding.ranks = of.all_ranks();
    what = "rate of all transfers";
  }
  finding.add({fmt::format("{}, of {}", what, usual), "", link.factor, threshold,
               link.longest ? of.place_of(*link.longest) : ""});
}

}  // namespace

std::vector<SlowLink> slow_links(const Case& of, double slow) {
  if (of.transfers.puts.empty()) return {};
  const LinkRates& rates = of.transfers.rates;
  const double low = std::log(slow);
  std::vector<SlowLink> links = with_sides_joined(slow_ports(rates, low, of.shared.at("port_among")));
  const std::vector<SlowLink> paths = slow_paths(rates, low, of.shared.at("path_among"));
  links.insert(links.end(), paths.begin(), paths.end());
  if (rates.polish.overall < low && links.empty()) {
    SlowLink& all = links.emplace_back();
    all.kind = SlowLink::Kind::kAll;
    all.factor = std::exp(rates.polish.overall);
  }
  keep_slowest(links, of.shared.at("link_beside"));
  return links;
}

std::vector<SlowLink> slow_links(const Standing& of, double slow) {
  const LinkRates rates = rates_of(of);
  const double low = std::log(slow);
  std::vector<SlowLink> links = slow_ports(rates, low, 0);
  const std::vector<SlowLink> paths = slow_paths(rates, low, 0);
  links.insert(links.end(), paths.begin(), paths.end());
  keep_slowest(links, of.shared.at("link_beside"));
  return links;
}

double communication_share(const Case& of) {
  double transfer = 0, own = 1, cores = 0;
  for (std::uint32_t r = 0; r < of.of.ranks(); ++r) {
    transfer = std::max(transfer, of.excess(Measure::kTransfer, r));
    own = std::max(own, of.excess(Measure::kOwn, r));
    cores = std::max(cores, of.excess(Measure::kAic, r) / of.workers(CoreKind::kCube));
  }
  return std::clamp(std::min(transfer, own - cores) / own, 0.0, 1.0);
}

Finding finding_of(const Case& of, const SlowLink& link, double threshold) {
  Finding finding;
  finding.factor = link.factor;
  finding.confidence = communication_share(of);
  add_link(link, "the usual", threshold, of.of, finding);
  return finding;
}

Finding finding_of_transfers(const Standing& of, double part) {
  Finding finding;
  std::map<std::uint32_t, double> sooner;
  for (std::uint32_t rank = 0; rank < of.mean.size(); ++rank) {
    finding.ranks.push_back(rank);
    if (const std::optional<Standing::Lanes> lanes = of.lanes(rank))
      sooner[rank] = lanes->communication * (1 - part);
  }
  finding.factor = part;
  finding.lost_ms = of.gain(of.of_all(sooner)) / kPicosecondsOfMs;
  finding.confidence = 1;
  return finding;
}

Finding finding_of(const Standing& of, const SlowLink& link, double threshold) {
  Finding finding = finding_of_transfers(of, link.factor);
  add_link(link, "that elsewhere in the same exchanges", threshold, of.of, finding);
  return finding;
}

}  // namespace a3sim
