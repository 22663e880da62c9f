#include "traces/rules/standing_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "traces/analysis/median_polish.h"
#include "traces/rules/standing_transfers.h"

namespace a3sim {
namespace {

constexpr std::size_t kLeastOthers = 2;  // cells of a row or a column: fewer tell no port from a path

struct Cells {
  std::vector<std::vector<double>> rates;  // log of the rate over the usual one; NaN: none
  std::vector<std::vector<const TransferRecord*>> worst;
};

double log_rate(const TransferRecord& put) { return std::log(put.bytes / seconds(put.end - put.start)); }

// By source and destination: the median over its puts, each beside the median of its operator, pass and plane.
Cells cells_of(const Standing& of) {
  using Kind = std::tuple<std::uint16_t, std::uint32_t, std::uint16_t>;
  const std::size_t ranks = of.mean().size();
  std::map<Kind, std::vector<double>> kinds;
  const auto counts = [&](const TransferRecord& put) {
    return put.bytes > 0 && put.end > put.start && put.src < ranks && put.dst < ranks;
  };
  for (const FullStep& step : of.full())
    for (const TransferRecord& put : step.transfers)
      if (counts(put)) kinds[{put.pass, put.op, put.plane}].push_back(log_rate(put));
  std::map<Kind, double> usual;
  for (auto& [kind, rates] : kinds) usual[kind] = middle_of(std::move(rates));
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>> links;
  Cells cells;
  cells.rates.assign(ranks, std::vector<double>(ranks, std::numeric_limits<double>::quiet_NaN()));
  cells.worst.assign(ranks, std::vector<const TransferRecord*>(ranks));
  for (const FullStep& step : of.full()) {
    for (const TransferRecord& put : step.transfers) {
      if (!counts(put)) continue;
      links[{put.src, put.dst}].push_back(log_rate(put) - usual[{put.pass, put.op, put.plane}]);
      const TransferRecord*& worst = cells.worst[put.src][put.dst];
      if (!worst || put.end - put.start > worst->end - worst->start) worst = &put;
    }
  }
  for (auto& [link, rates] : links) cells.rates[link.first][link.second] = middle_of(std::move(rates));
  return cells;
}

void add_ports(const Cells& cells, const MedianPolish& polish, double low, std::vector<StandingLink>& links) {
  for (std::uint32_t r = 0; r < cells.rates.size(); ++r) {
    for (const bool egress : {true, false}) {
      const double effect = egress ? polish.rows[r] : polish.columns[r];
      if (!(effect < low)) continue;
      StandingLink link{egress ? r : kNone, egress ? kNone : r, std::exp(effect), nullptr};
      std::size_t others = 0;
      for (std::uint32_t o = 0; o < cells.rates.size(); ++o) {
        const TransferRecord* put = egress ? cells.worst[r][o] : cells.worst[o][r];
        others += put != nullptr;
        if (put && (!link.worst || put->end - put->start > link.worst->end - link.worst->start))
          link.worst = put;
      }
      if (others >= kLeastOthers) links.push_back(link);
    }
  }
}

}  // namespace

std::vector<StandingLink> standing_links(const Standing& of, double slow) {
  std::vector<StandingLink> links;
  const Cells cells = cells_of(of);
  const MedianPolish polish = median_polish(cells.rates);
  const double low = std::log(slow);
  add_ports(cells, polish, low, links);
  for (std::uint32_t s = 0; s < cells.rates.size(); ++s)
    for (std::uint32_t d = 0; d < cells.rates.size(); ++d)
      if (polish.rest[s][d] < low && cells.rates[s][d] < low)
        links.push_back({s, d, std::exp(polish.rest[s][d]), cells.worst[s][d]});
  std::ranges::stable_sort(links, {}, &StandingLink::factor);
  // What is slow by much less than another is that one's doing: puts wait for puts.
  const double beside = of.shared().at("link_beside");
  if (!links.empty()) {
    const double worst = std::log(links.front().factor);
    std::erase_if(links, [&](const StandingLink& link) { return std::log(link.factor) > beside * worst; });
  }
  return links;
}

Finding finding_of(const Standing& of, const StandingLink& link, double threshold) {
  Finding finding = finding_of_transfers(of, link.factor);
  finding.ranks.clear();
  std::string what;
  if (link.is_path()) {
    finding.links = {{link.from, link.to}};
    what = fmt::format("rate from rank {} to rank {}", link.from, link.to);
  } else {
    finding.side = link.from != kNone ? "egress" : "ingress";
    finding.ranks = {link.from != kNone ? link.from : link.to};
    what = fmt::format("rate through rank {}'s ports ({})", finding.ranks.front(), finding.side);
  }
  finding.evidence.push_back({what + ", of that elsewhere in the same exchanges", "", link.factor, threshold,
                              of.of().place_of(*link.worst)});
  return finding;
}

}  // namespace a3sim
