#include "sim/diagnosis/pages/link_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "sim/core/statistics.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostStepsOfLinks = 8;
constexpr std::size_t kMostLinks = 20'000;  // of a step: the slowest

double put_rate(const TransferRecord& put) { return put.bytes / seconds(put.length()); }
bool has_rate(const TransferRecord& put) { return put.bytes > 0 && put.end > put.start; }

using Exchange = std::tuple<std::uint16_t, std::uint32_t, std::uint16_t>;  // pass, operator, plane
Exchange exchange_of_put(const TransferRecord& put) { return {put.pass, put.op, put.plane}; }

// Collects the rates of an exchange's puts in a usual step: for each link, and for all of them.
class UsualRates {
 public:
  explicit UsualRates(const FullStep& step) {
    std::map<Exchange, std::vector<double>> exchanges;
    std::map<std::tuple<Exchange, std::uint32_t, std::uint32_t>, std::vector<double>> links;
    for (const TransferRecord& put : step.transfers) {
      if (!has_rate(put)) continue;
      exchanges[exchange_of_put(put)].push_back(put_rate(put));
      links[{exchange_of_put(put), put.src, put.dst}].push_back(put_rate(put));
    }
    for (auto& [exchange, rates] : exchanges) of_exchange_[exchange] = median(std::move(rates));
    for (auto& [link, rates] : links) of_link_[link] = median(std::move(rates));
  }
  // Returns nullopt if the step has no such put.
  std::optional<double> rate(const TransferRecord& put, bool by_link) const {
    if (by_link) {
      const auto link = of_link_.find({exchange_of_put(put), put.src, put.dst});
      if (link != of_link_.end()) return link->second;
    }
    const auto exchange = of_exchange_.find(exchange_of_put(put));
    return exchange == of_exchange_.end() ? std::nullopt : std::optional(exchange->second);
  }

 private:
  std::map<Exchange, double> of_exchange_;
  std::map<std::tuple<Exchange, std::uint32_t, std::uint32_t>, double> of_link_;
};

// One direction between two ranks in a step.
struct LinkInStep {
  std::uint32_t src = 0, dst = 0;
  double rate = 0;  // bytes per second, the median of its puts
  double part = 0;  // part of the usual rate, also the median
  double bytes = 0;
  std::size_t puts = 0;
};

std::vector<LinkInStep> links_in_step(const FullStep& step, const UsualRates& usual, bool by_link) {
  struct Puts {
    std::vector<double> rates, parts;
    double bytes = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Puts> pairs;
  for (const TransferRecord& put : step.transfers) {
    const std::optional<double> expected = has_rate(put) ? usual.rate(put, by_link) : std::nullopt;
    if (!expected || *expected <= 0) continue;
    Puts& puts = pairs[{put.src, put.dst}];
    puts.rates.push_back(put_rate(put));
    puts.parts.push_back(put_rate(put) / *expected);
    puts.bytes += put.bytes;
  }
  std::vector<LinkInStep> links;
  for (auto& [pair, puts] : pairs) {
    const std::size_t count = puts.rates.size();
    links.push_back({pair.first, pair.second, median(std::move(puts.rates)), median(std::move(puts.parts)),
                     puts.bytes, count});
  }
  std::ranges::stable_sort(links, {}, &LinkInStep::part);
  if (links.size() > kMostLinks) links.resize(kMostLinks);
  return links;
}

Json packed_links(Page& page, const std::vector<LinkInStep>& links) {
  constexpr double kMegabytes = 1e-6, kThousandths = 1e3;
  PackedColumns columns(links.size());
  columns.add("src", [&](std::size_t i) { return links[i].src; });
  columns.add("dst", [&](std::size_t i) { return links[i].dst; });
  columns.add("rate", [&](std::size_t i) { return std::llround(links[i].rate * kMegabytes); });
  columns.add("part", [&](std::size_t i) { return std::llround(links[i].part * kThousandths); });
  columns.add("bytes", [&](std::size_t i) { return std::llround(links[i].bytes); });
  columns.add("puts", [&](std::size_t i) { return links[i].puts; });
  return page.pack(columns);
}

// The step that others are compared with, and its name.
struct UsualStep {
  FullStep step;
  std::string name;
};

UsualStep usual_step(const Observation& job, const std::vector<std::uint32_t>& slow) {
  FullStep reference = job.reference_full();
  if (!reference.transfers.empty()) return {std::move(reference), "a step without faults and noise"};
  for (const std::uint32_t step : job.full_steps()) {
    const std::uint32_t number = job.number_of(step);
    if (std::ranges::find(slow, number) != slow.end()) continue;
    FullStep full = job.full(step);
    if (!full.transfers.empty() && !slow.empty())
      return {std::move(full), fmt::format("step {}, which is not slow", number)};
  }
  return {};
}

}  // namespace

void add_link_map(Page& page, const Observation& job, const std::vector<std::uint32_t>& slow) {
  const UsualStep usual = usual_step(job, slow);
  const bool by_link = !usual.name.empty();
  const UsualRates of_usual(usual.step);
  Json steps = Json::array();
  for (const std::uint32_t number : job.full_steps()) {
    if (steps.size() == kMostStepsOfLinks) break;
    const FullStep full = job.full(number);
    const std::vector<LinkInStep> links =
        by_link ? links_in_step(full, of_usual, true) : links_in_step(full, UsualRates(full), false);
    if (links.empty()) continue;
    const std::uint32_t name = job.number_of(number);
    steps.push_back({{"step", name},
                     {"slow", std::ranges::find(slow, name) != slow.end()},
                     {"links", packed_links(page, links)}});
  }
  if (steps.empty()) return;
  page.add({{"kind", "links"},
            {"title", "Links"},
            {"ranks", job.ranks()},
            {"beside", by_link ? usual.name : "the median of all links in the same exchange"},
            {"steps", std::move(steps)}});
}

}  // namespace a3sim
