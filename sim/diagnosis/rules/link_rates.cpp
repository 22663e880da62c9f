#include "sim/diagnosis/rules/link_rates.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace a3sim {
namespace {

constexpr std::size_t kLeastCells = 2;  // in a row or column; with fewer, a port cannot be told from a path

// The effect of a rank's egress or ingress, and its longest transfer.
SlowLink port_of(const LinkRates& rates, std::uint32_t rank, bool egress) {
  SlowLink link;
  link.rank = rank;
  link.egress = egress;
  link.ingress = !egress;
  link.factor = std::exp((egress ? rates.polish.rows : rates.polish.columns)[rank]);
  for (std::uint32_t other = 0; other < rates.cells.size(); ++other) {
    const TransferRecord* put = egress ? rates.longest[rank][other] : rates.longest[other][rank];
    if (put && (!link.longest || put->length() > link.longest->length())) link.longest = put;
  }
  return link;
}

bool tells_port(const LinkRates& rates, std::uint32_t rank, bool egress) {
  std::size_t cells = 0;
  for (std::uint32_t other = 0; other < rates.cells.size(); ++other)
    cells += !std::isnan(egress ? rates.cells[rank][other] : rates.cells[other][rank]);
  return cells >= kLeastCells;
}

}  // namespace

LinkRates::LinkRates(std::size_t ranks)
    : cells(ranks, std::vector<double>(ranks, std::numeric_limits<double>::quiet_NaN())),
      longest(ranks, std::vector<const TransferRecord*>(ranks)) {}

void LinkRates::add_longest(const TransferRecord& put) {
  const TransferRecord*& of_cell = longest[put.src][put.dst];
  if (!of_cell || put.length() > of_cell->length()) of_cell = &put;
}

std::vector<SlowLink> slow_ports(const LinkRates& rates, double low, double among) {
  double worst = 0;
  for (const std::vector<double>* effects : {&rates.polish.rows, &rates.polish.columns})
    for (const double effect : *effects) worst = std::min(worst, effect);
  std::vector<SlowLink> links;
  for (std::uint32_t rank = 0; rank < rates.cells.size(); ++rank)
    for (const bool egress : {true, false})
      if ((egress ? rates.polish.rows : rates.polish.columns)[rank] < std::min(low, among * worst) &&
          tells_port(rates, rank, egress))
        links.push_back(port_of(rates, rank, egress));
  return links;
}

std::vector<SlowLink> slow_paths(const LinkRates& rates, double low, double among) {
  double worst = 0;
  for (const auto& row : rates.polish.rest)
    for (const double cell : row)
      if (!std::isnan(cell)) worst = std::min(worst, cell);
  std::vector<SlowLink> links;
  for (std::uint32_t s = 0; s < rates.cells.size(); ++s) {
    for (std::uint32_t d = 0; d < rates.cells.size(); ++d) {
      const double rest = rates.polish.rest[s][d];
      if (!(rest < std::min(low, among * worst) && rates.cells[s][d] < low)) continue;
      SlowLink& link = links.emplace_back();
      link.kind = SlowLink::Kind::kPath;
      link.from = s;
      link.to = d;
      link.factor = std::exp(rest);
      link.longest = rates.longest[s][d];
    }
  }
  return links;
}

void keep_slowest(std::vector<SlowLink>& links, double beside) {
  if (links.empty()) return;
  std::ranges::stable_sort(links, {}, &SlowLink::factor);
  const double worst = std::log(links.front().factor);
  std::erase_if(links, [&](const SlowLink& link) { return std::log(link.factor) > beside * worst; });
}

}  // namespace a3sim
