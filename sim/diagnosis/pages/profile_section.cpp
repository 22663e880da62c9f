#include "sim/diagnosis/pages/profile_section.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "sim/core/ids.h"
#include "sim/core/statistics.h"
#include "sim/diagnosis/rules/kernel_bounds.h"
#include "traces/report/figure.h"
#include "traces/report/report.h"

namespace a3sim {
namespace {

constexpr std::size_t kMostRanks = 64, kMostRows = 40;
constexpr double kBinds = 0.8;  // as in configs/advice/compute.memory.yaml

Duration from_ms(double milliseconds) { return Duration(std::llround(milliseconds * 1e9)); }

// Draws the parts of each rank's step on top of each other.
Figure time_figure(const Advice& advice) {
  struct Part {
    const char* name;
    double RankShares::* value;
  };
  constexpr std::array kParts{Part{"computing", &RankShares::computing},
                              Part{"transferring", &RankShares::transferring},
                              Part{"waiting", &RankShares::waiting},
                              Part{"standing still", &RankShares::still},
                              Part{"waiting or transferring", &RankShares::undecided},
                              Part{"free", &RankShares::free}};
  const std::size_t count = std::min(kMostRanks, advice.time.size());
  Figure figure;
  figure.title = "Where the time of a step goes";
  figure.origin = "means of the profiled steps";
  figure.legend = "part";
  figure.stacked = true;
  std::vector<std::string> names;
  std::vector<double> lengths;
  for (std::size_t r = 0; r < count; ++r) {
    names.push_back(std::to_string(advice.time[r].rank));
    lengths.push_back(advice.time[r].length);
  }
  figure.x = names_axis("rank", names);
  figure.y = axis_from_zero("ms", lengths);
  for (std::size_t p = 0; p < kParts.size(); ++p) {
    FigureSeries& series = figure.series.emplace_back();
    series.name = kParts[p].name;
    series.kind = FigureKind::kBars;
    series.color = static_cast<std::uint32_t>(p);
    for (std::size_t r = 0; r < count; ++r)
      series.points.push_back(FigurePoint::at(static_cast<double>(r), advice.time[r].*kParts[p].value));
  }
  return figure;
}

void add_ranks(const Advice& advice, Report& report) {
  Table& table = report.table(
      "time", {Column::count("rank"), Column::milliseconds("step ms"), Column::milliseconds("computing ms"),
               Column::milliseconds("transferring ms"), Column::milliseconds("waiting ms"),
               Column::milliseconds("standing still ms"), Column::milliseconds("undecided ms"),
               Column::milliseconds("free ms"), Column::milliseconds("hidden ms")});
  for (std::size_t r = 0; r < std::min(kMostRows, advice.time.size()); ++r) {
    const RankShares& rank = advice.time[r];
    table.add({whole(rank.rank), from_ms(rank.length), from_ms(rank.computing), from_ms(rank.transferring),
               from_ms(rank.waiting), from_ms(rank.still), from_ms(rank.undecided), from_ms(rank.free),
               from_ms(rank.hidden)});
  }
}

void add_groups(const Advice& advice, Report& report) {
  if (advice.groups.empty()) return;
  Table& table = report.table("groups", {Column::words("group"), Column::words("known from"),
                                         Column::words("ranks"), Column::count("comes last"),
                                         Column::count("times"), Column::milliseconds("wait for it ms")});
  for (std::size_t g = 0; g < std::min(kMostRows, advice.groups.size()); ++g) {
    const GroupShares& group = advice.groups[g];
    const bool last = group.last != kNone;
    table.add({group.use, group.told ? "the profile" : "its exchanges",
               fmt::format("{}", fmt::join(group.ranks, ", ")), last ? whole(group.last) : Cell(),
               last ? whole(group.times) : Cell(), last ? Cell(from_ms(group.waits_ms)) : Cell()});
  }
}

void add_exchanges(const ProfiledTime& time, Report& report) {
  std::vector<const ExchangeTime*> order;
  for (const ExchangeTime& exchange : time.exchanges) order.push_back(&exchange);
  std::ranges::stable_sort(order, std::ranges::greater(), &ExchangeTime::exposed);
  if (order.empty()) return;
  Table& table = report.table("exchanges",
                              {Column::words("exchange"), Column::words("group"), Column::count("rank"),
                               Column::count("step"), Column::count("number"), Column::milliseconds("sum ms"),
                               Column::milliseconds("not hidden ms"), Column::milliseconds("transfer ms"),
                               Column::milliseconds("wait ms"), Column::number("GB/s", "gb_per_s", 1)});
  for (std::size_t e = 0; e < std::min(kMostRows, order.size()); ++e) {
    const ExchangeTime& one = *order[e];
    const bool rated = one.bytes > 0 && one.transfer > Duration::zero();
    table.add({one.name, std::string(name_of(time.groups[one.group].kind)), whole(one.rank), whole(one.step),
               whole(one.count), one.elapsed, one.exposed, one.split ? Cell(one.transfer) : Cell(),
               one.split ? Cell(one.waited) : Cell(),
               rated ? Cell(one.bytes * 1e-9 / seconds(one.transfer)) : Cell()});
  }
  if (order.size() > kMostRows)
    report.say_on(fmt::format("and {} more, with less time that nothing hides\n", order.size() - kMostRows));
}

std::string bound_text(const KernelTime& kernel) {
  const Bound bound = bound_of(kernel, kBinds);
  switch (bound.by) {
    case Bound::By::kUnknown:
      return "not recorded";
    case Bound::By::kNothing:
      return fmt::format("nothing: {} {:.2f} at most", name_of(bound.pipe), bound.busy);
    case Bound::By::kMemory:
      return fmt::format("memory: {} {:.2f}", name_of(bound.pipe), bound.busy);
    case Bound::By::kCores:
      return fmt::format("arithmetic: {} {:.2f}", name_of(bound.pipe), bound.busy);
    case Bound::By::kScalar:
      break;
  }
  return fmt::format("scalar units: {} {:.2f}", name_of(bound.pipe), bound.busy);
}

void add_kernels(const ProfiledTime& time, Report& report) {
  std::vector<const KernelTime*> order;
  for (const KernelTime& kernel : time.kernels) order.push_back(&kernel);
  std::ranges::stable_sort(order, std::ranges::greater(), &KernelTime::time);
  if (order.empty()) return;
  Table& table = report.table(
      "kernels", {Column::words("kernel"), Column::words("core"), Column::count("rank"),
                  Column::count("number"), Column::milliseconds("sum ms"), Column::milliseconds("alone ms"),
                  Column::words("bound by"), Column::number("GB/s by shapes", "gb_per_s", 1)});
  for (std::size_t k = 0; k < std::min(kMostRows, order.size()); ++k) {
    const KernelTime& kernel = *order[k];
    table.add({kernel.type, kernel.core, whole(kernel.rank), whole(kernel.count), kernel.time, kernel.alone,
               bound_text(kernel),
               kernel.sized_time > 0 ? Cell(kernel.bytes * 1e-9 / kernel.sized_time) : Cell()});
  }
  if (order.size() > kMostRows)
    report.say_on(fmt::format("and {} more, with less time\n", order.size() - kMostRows));
}

// The sums of a pair of ranks over one kind of links.
struct PairSum {
  double bytes = 0, transit = 0;  // bytes, s
  double rate() const { return transit > 0 ? bytes * 1e-9 / transit : 0; }
};

// Shows the pairs of communication_matrix.json, those first whose rate is the smallest part of that of the usual pair over the
// same kind of links.
void add_pairs(const ProfiledTime& time, Report& report) {
  using Pair = std::tuple<std::string, std::uint32_t, std::uint32_t>;  // transport, source, destination
  std::map<Pair, PairSum> pairs;
  for (const ProfiledLink& link : time.links) {
    PairSum& sum = pairs[{link.transport, link.from, link.to}];
    sum.bytes += link.bytes;
    sum.transit += seconds(link.transit);
  }
  std::map<std::string, std::vector<double>> rates;
  for (const auto& [pair, sum] : pairs) rates[std::get<0>(pair)].push_back(sum.rate());
  std::map<std::string, double> usual;
  for (const auto& [transport, all] : rates) usual[transport] = median(all);
  std::vector<std::pair<double, Pair>> order;  // part of the usual rate
  for (const auto& [pair, sum] : pairs)
    if (const double rate = usual.at(std::get<0>(pair)); rate > 0)
      order.emplace_back(sum.rate() / rate, pair);
  std::ranges::stable_sort(order, {}, [](const auto& one) { return one.first; });
  if (order.empty()) return;
  const auto& [least, slowest] = order.front();
  report.say(fmt::format("the slowest pair: from rank {} to rank {} over {}, at {:.2f} of the usual rate\n",
                         std::get<1>(slowest), std::get<2>(slowest), std::get<0>(slowest), least));
  Table& table = report.table(
      "pairs", {Column::count("from rank"), Column::count("to rank"), Column::words("over"),
                Column::number("MB", "megabytes", 1), Column::number("ms", "transit_ms", 3),
                Column::number("GB/s", "gb_per_s", 1), Column::number("of the usual", "of_usual", 2)});
  for (std::size_t p = 0; p < std::min(kMostRows, order.size()); ++p) {
    const auto& [transport, from, to] = order[p].second;
    const PairSum& sum = pairs.at(order[p].second);
    table.add(
        {whole(from), whole(to), transport, sum.bytes * 1e-6, sum.transit * 1e3, sum.rate(), order[p].first});
  }
  if (order.size() > kMostRows)
    report.say_on(fmt::format("and {} more, which are faster\n", order.size() - kMostRows));
}

}  // namespace

void add_profile(Page& page, const ProfiledTime& time, const Advice& advice) {
  if (advice.time.empty()) return;
  Report ranks, exchanges, pairs, kernels;
  add_ranks(advice, ranks);
  add_groups(advice, ranks);
  PageBlocks blocks;
  blocks.figure(time_figure(advice)).report(ranks);
  page.add("Time of the ranks", blocks);
  add_exchanges(time, exchanges);
  if (!time.exchanges.empty()) page.add("Exchanges", PageBlocks().report(exchanges));
  add_pairs(time, pairs);
  if (!time.links.empty()) page.add("Pairs of ranks", PageBlocks().report(pairs));
  add_kernels(time, kernels);
  if (!time.kernels.empty()) page.add("Kernels by what binds them", PageBlocks().report(kernels));
}

}  // namespace a3sim
