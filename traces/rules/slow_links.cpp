#include "traces/rules/slow_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "traces/rules/compute_lag.h"

namespace a3sim {
namespace {

double length(const TransferRecord& of) { return static_cast<double>((of.end - of.start).count()); }

// The slowest put of a row or a column.
const TransferRecord* worst_of(const Case& of, std::uint32_t rank, bool row) {
  const TransferRecord* worst = nullptr;
  for (std::uint32_t other = 0; other < of.of.ranks(); ++other) {
    const TransferRecord* put = row ? of.transfers.worst(rank, other) : of.transfers.worst(other, rank);
    if (put && (!worst || length(*put) > length(*worst))) worst = put;
  }
  return worst;
}

std::size_t cells_of(const TransferLags& lags, std::uint32_t rank, bool row) {
  std::size_t cells = 0;
  for (std::size_t other = 0; other < lags.cells.size(); ++other)
    cells += !std::isnan(row ? lags.cells[rank][other] : lags.cells[other][rank]);
  return cells;
}

void add_ports(const Case& of, double low, std::vector<SlowLink>& links) {
  const MedianPolish& polish = of.transfers.polish;
  constexpr std::size_t kLeastCells = 2;
  double worst = 0;
  for (std::uint32_t r = 0; r < of.of.ranks(); ++r)
    worst = std::min({worst, polish.rows[r], polish.columns[r]});
  const double among = of.shared.at("port_among");
  for (std::uint32_t r = 0; r < of.of.ranks(); ++r) {
    SlowLink link;
    link.rank = r;
    const double least = std::min(low, among * worst);
    const auto is_slow = [&](bool row) {
      return (row ? polish.rows : polish.columns)[r] < least && cells_of(of.transfers, r, row) >= kLeastCells;
    };
    link.egress = is_slow(true);
    link.ingress = is_slow(false);
    if (!link.egress && !link.ingress) continue;
    const double effect = std::min(link.egress ? polish.rows[r] : 0, link.ingress ? polish.columns[r] : 0);
    link.factor = std::exp(effect);
    link.worst = worst_of(of, r, link.egress && (!link.ingress || polish.rows[r] <= polish.columns[r]));
    links.push_back(link);
  }
}

void add_paths(const Case& of, double low, std::vector<SlowLink>& links) {
  const TransferLags& lags = of.transfers;
  double worst = 0;
  for (const auto& row : lags.polish.rest)
    for (const double cell : row)
      if (!std::isnan(cell)) worst = std::min(worst, cell);
  const double among = of.shared.at("path_among");
  for (std::uint32_t s = 0; s < of.of.ranks(); ++s) {
    for (std::uint32_t d = 0; d < of.of.ranks(); ++d) {
      const double rest = lags.polish.rest[s][d];
      if (std::isnan(rest) || rest >= std::min(low, among * worst) || lags.cells[s][d] >= low) continue;
      SlowLink link;
      link.kind = SlowLink::Kind::kPath;
      link.from = s;
      link.to = d;
      link.factor = std::exp(rest);
      link.worst = lags.worst(s, d);
      links.push_back(link);
    }
  }
}

}  // namespace

std::vector<SlowLink> slow_links(const Case& of, double slow) {
  std::vector<SlowLink> links;
  if (of.transfers.puts.empty()) return links;
  const double low = std::log(slow);
  add_ports(of, low, links);
  add_paths(of, low, links);
  if (of.transfers.polish.overall < low && links.empty()) {
    SlowLink all;
    all.kind = SlowLink::Kind::kAll;
    all.factor = std::exp(of.transfers.polish.overall);
    links.push_back(all);
  }
  std::ranges::stable_sort(links, {}, &SlowLink::factor);
  // What is slow by much less than another is that one's doing: puts wait for puts.
  const double beside = of.shared.at("link_beside");
  if (!links.empty()) {
    const double worst = std::log(links.front().factor);
    std::erase_if(links, [&](const SlowLink& link) { return std::log(link.factor) > beside * worst; });
  }
  return links;
}

std::vector<LatePuts> late_puts(const Case& of) {
  struct Late {
    std::vector<std::pair<double, const TransferRecord*>> puts;
    std::uint32_t all = 0, alone = 0;
  };
  std::map<std::uint32_t, Late> by_src;
  const double late_put = of.shared.at("late_put");
  for (const auto& [key, puts] : of.transfers.puts) {
    std::vector<double> now;
    double longest = 0;
    for (const TransferRecord* put : puts.now) now.push_back(length(*put));
    for (const TransferRecord* put : puts.usual) longest = std::max(longest, length(*put));
    std::ranges::sort(now);
    const double median = now.empty() ? 0 : now[now.size() / 2];
    constexpr std::size_t kTenth = 10;
    if (puts.usual.empty() && !now.empty()) longest = now[now.size() - 1 - now.size() / kTenth];
    Late& late = by_src[key.src];
    late.all += static_cast<std::uint32_t>(puts.now.size());
    for (const TransferRecord* put : puts.now) {
      if (length(*put) - median <= late_put * std::max(longest, median)) continue;
      late.puts.emplace_back(length(*put) - median, put);
      late.alone += std::ranges::any_of(puts.now, [&](const TransferRecord* other) {
        return other->step == put->step && other->start > put->start && other->end < put->end &&
               length(*other) <= std::max(longest, median);
      });
    }
  }
  std::vector<LatePuts> found;
  for (auto& [src, late] : by_src) {
    if (late.puts.empty()) continue;
    std::ranges::sort(late.puts);
    LatePuts of_src;
    of_src.src = src;
    of_src.count = static_cast<std::uint32_t>(late.puts.size());
    of_src.of = late.all;
    of_src.alone = static_cast<double>(late.alone) / of_src.count;
    of_src.excess = late.puts[late.puts.size() / 2].first;
    of_src.spread = (late.puts.back().first - late.puts.front().first) / of_src.excess;
    of_src.worst = late.puts.back().second;
    for (const auto& [excess, put] : late.puts) of_src.together += excess;
    of_src.together /= static_cast<double>(std::max<std::size_t>(1, of.full.size()));
    found.push_back(of_src);
  }
  return found;
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
  std::string what;
  if (link.kind == SlowLink::Kind::kPort) {
    finding.ranks = {link.rank};
    finding.side = link.egress && link.ingress ? "both" : link.egress ? "egress" : "ingress";
    what = fmt::format("rate through rank {}'s ports ({}), of the usual", link.rank, finding.side);
  } else if (link.kind == SlowLink::Kind::kPath) {
    finding.links = {{link.from, link.to}};
    what = fmt::format("rate from rank {} to rank {}, of the usual", link.from, link.to);
  } else {
    what = "rate of all transfers, of the usual";
    for (std::uint32_t r = 0; r < of.of.ranks(); ++r) finding.ranks.push_back(r);
  }
  finding.factor = link.factor;
  finding.confidence = communication_share(of);
  finding.evidence.push_back(
      {what, "", link.factor, threshold, link.worst ? of.of.place_of(*link.worst) : ""});
  return finding;
}

}  // namespace a3sim
