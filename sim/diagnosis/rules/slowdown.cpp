#include "sim/diagnosis/rules/slowdown.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sim/core/statistics.h"
#include "sim/diagnosis/rules/step_path.h"

namespace a3sim {
namespace {

using OperatorKey = std::tuple<std::uint32_t, std::uint16_t, std::uint32_t>;  // rank, pass, operator

OperatorKey key_of(const OperatorRecord& record) { return {record.rank, record.pass, record.op}; }

// Returns whether two records describe nearly the same work.
bool same_work(const OperatorRecord& a, const OperatorRecord& b, double near) {
  const double most = std::max(a.operations, b.operations);
  return std::abs(a.operations - b.operations) <= near * most;
}

// Returns a lag for operators whose work differs: beside more work in proportion to it, beside less the usual time.
OperatorLag at_other_work(const OperatorRecord& now, const OperatorRecord& usual) {
  OperatorLag lag{now, usual, false};
  const double times = std::max(1.0, now.operations / usual.operations);
  const auto longer = [&](Duration time) {
    return Duration(static_cast<std::int64_t>(times * picoseconds(time)));
  };
  lag.usual.run = longer(usual.run);
  lag.usual.arithmetic = longer(usual.arithmetic);
  return lag;
}

// Returns the usual records of a step's operators: the reference's of the same rank, or those of the recorded
// rank that took the least time.
std::vector<OperatorLag> operator_lags(const std::vector<FullStep>& full, const FullStep& reference,
                                       double near) {
  std::map<OperatorKey, const OperatorRecord*> usual;
  for (const OperatorRecord& record : reference.operators) usual[key_of(record)] = &record;
  std::vector<OperatorLag> lags;
  for (const FullStep& step : full) {
    std::map<std::pair<std::uint16_t, std::uint32_t>, const OperatorRecord*> least;
    for (const OperatorRecord& record : step.operators) {
      const OperatorRecord*& best = least[{record.pass, record.op}];
      if (!best || record.run < best->run) best = &record;
    }
    for (const OperatorRecord& record : step.operators) {
      const auto found = usual.find(key_of(record));
      const OperatorRecord* beside = found == usual.end() ? least[{record.pass, record.op}] : found->second;
      if (same_work(record, *beside, near))
        lags.push_back({record, *beside});
      else if (found != usual.end() && record.lane == Lane::kCompute && beside->operations > 0)
        lags.push_back(at_other_work(record, *beside));
    }
  }
  return lags;
}

std::map<HostKey, HostTime> host_times(const Slowdown& slowdown) {
  std::map<std::uint32_t, double> steps;  // by rank: recorded steps
  std::map<HostKey, double> now, usual;
  std::map<HostKey, const HostRecord*> longest;
  for (const FullStep& step : slowdown.full) {
    for (const std::uint32_t rank : step.ranks) ++steps[rank];
    for (const HostRecord& record : step.host) {
      const HostKey key{record.rank, record.kind};
      now[key] += picoseconds(record.length());
      const HostRecord*& best = longest[key];
      if (!best || record.length() > best->length()) best = &record;
    }
  }
  for (const HostRecord& record : slowdown.reference.host)
    usual[{record.rank, record.kind}] += picoseconds(record.length());
  std::map<HostKey, HostTime> times;
  for (const auto& [key, sum] : now)
    times[key] = {sum / std::max(1.0, steps[key.first]) - usual[key],
                  slowdown.observation.place_of(*longest[key])};
  return times;
}

// Returns bytes per ps without the slowest twentieth, because single outliers have their own rule.
double steady_rate(const std::vector<const TransferRecord*>& puts) {
  constexpr std::size_t kLeftOut = 20;
  constexpr std::size_t kFew = 4;
  std::vector<std::pair<double, double>> sorted;  // time per byte, bytes
  for (const TransferRecord* transfer : puts)
    if (transfer->bytes > 0)
      sorted.emplace_back(picoseconds(transfer->length()) / transfer->bytes, transfer->bytes);
  std::ranges::sort(sorted);
  if (sorted.size() >= kFew) sorted.resize(sorted.size() - (sorted.size() + kLeftOut - 1) / kLeftOut);
  double time = 0, bytes = 0;
  for (const auto& [a_byte, size] : sorted) {
    time += a_byte * size;
    bytes += size;
  }
  return time > 0 ? bytes / time : 0;
}

double mean_size(const TransferLags& lags, bool now) {
  double sum = 0, count = 0;
  for (const auto& [key, puts] : lags.puts) {
    for (const TransferRecord* transfer : now ? puts.now : puts.usual) {
      sum += transfer->bytes;
      ++count;
    }
  }
  return count > 0 ? sum / count : 0;
}

using PutsKind = std::tuple<std::uint16_t, std::uint32_t, std::uint16_t>;  // pass, operator, plane

PutsKind kind_of(const PutsKey& key, const Puts& puts) { return {key.pass, key.op, puts.now.front()->plane}; }

// Returns the rate of healthy ranks for puts of each kind: nine of ten paths between ranks are slower.
std::map<PutsKind, double> rates_of_kinds(const TransferLags& lags) {
  constexpr double kHealthy = 0.9;
  std::map<PutsKind, std::vector<double>> rates;
  for (const auto& [key, puts] : lags.puts) rates[kind_of(key, puts)].push_back(steady_rate(puts.now));
  std::map<PutsKind, double> kinds;
  for (auto& [kind, of_kind] : rates) kinds[kind] = quantile(std::move(of_kind), kHealthy);
  return kinds;
}

TransferLags transfer_lags(const Slowdown& slowdown) {
  const std::uint32_t ranks = slowdown.observation.ranks();
  TransferLags lags;
  lags.rates = LinkRates(ranks);
  const auto key_of = [](const TransferRecord& put) { return PutsKey{put.pass, put.op, put.src, put.dst}; };
  for (const FullStep& step : slowdown.full)
    for (const TransferRecord& put : step.transfers)
      if (put.src < ranks && put.dst < ranks) lags.puts[key_of(put)].now.push_back(&put);
  for (const TransferRecord& put : slowdown.reference.transfers) {
    const auto found = lags.puts.find(key_of(put));
    if (found != lags.puts.end()) found->second.usual.push_back(&put);
  }
  lags.size_now = mean_size(lags, true);
  lags.size_usual = mean_size(lags, false);
  const std::map<PutsKind, double> beside =
      slowdown.reference.transfers.empty() ? rates_of_kinds(lags) : std::map<PutsKind, double>();
  std::vector<std::vector<double>> sums(ranks, std::vector<double>(ranks)), weights = sums;
  for (const auto& [key, puts] : lags.puts) {
    for (const TransferRecord* put : puts.now) lags.rates.add_longest(*put);
    const double now = steady_rate(puts.now);
    const double usual = beside.empty() ? steady_rate(puts.usual) : beside.at(kind_of(key, puts));
    if (now <= 0 || usual <= 0) continue;
    double weight = 0;
    for (const TransferRecord* put : puts.now) weight += picoseconds(put->length());
    sums[key.src][key.dst] += weight * std::log(now / usual);
    weights[key.src][key.dst] += weight;
  }
  for (std::uint32_t s = 0; s < ranks; ++s)
    for (std::uint32_t d = 0; d < ranks; ++d)
      if (weights[s][d] > 0) lags.rates.cells[s][d] = sums[s][d] / weights[s][d];
  return lags;
}

void add_longest_events(const FullStep& step, std::map<HostKey, double>& events) {
  for (const HostRecord& record : step.host) {
    double& longest = events[{record.rank, record.kind}];
    longest = std::max(longest, picoseconds(record.length()));
  }
}

void compare(Slowdown& slowdown) {
  slowdown.operators = operator_lags(slowdown.full, slowdown.reference, slowdown.shared.at("equal_work"));
  slowdown.host = host_times(slowdown);
  slowdown.transfers = transfer_lags(slowdown);
}

}  // namespace

double Slowdown::own_lag() const {
  double most = 1;
  for (std::uint32_t r = 0; r < observation.ranks(); ++r) most = std::max(most, excess(Measure::kOwn, r));
  return most;
}

double Slowdown::density() const {
  return static_cast<double>(episode.last() - episode.first() + 1) /
         static_cast<double>(episode.steps.size());
}

bool Slowdown::recorded(std::uint32_t rank) const {
  return std::ranges::any_of(
      full, [&](const FullStep& step) { return std::ranges::find(step.ranks, rank) != step.ranks.end(); });
}

Slowdown make_slowdown(const Observation& observation, const Located& located, const Episode& episode,
                       const FullStep& reference, const RuleData& shared) {
  Slowdown made{observation, located, episode, {}, reference, shared, {}, {}, {}, {}, {}};
  for (const std::uint32_t step : episode.recorded) made.full.push_back(observation.full(step));
  constexpr std::size_t kMostLooked = 10;  // steps to read for host events
  std::size_t looked = 0;
  for (const std::uint32_t step : observation.full_steps()) {
    if (step < episode.first() || step > episode.last() || looked++ >= kMostLooked) continue;
    add_longest_events(observation.full(step), made.longest_event);
  }
  made.on_path = operators_on_path(observation, made.full);
  compare(made);
  return made;
}

Episode one_step(const Episode& all, std::uint32_t step, const std::vector<RankStep>& seen) {
  const auto at = static_cast<std::size_t>(std::ranges::lower_bound(all.steps, step) - all.steps.begin());
  Episode one;
  one.steps = one.recorded = {step};
  one.lost_each = {all.lost_each[at]};
  one.lost = all.lost_each[at];
  one.suspects = {{all.suspect(), 1}};
  one.mean = one.most = one.seen = seen;
  one.seen_each = {seen};
  if (at < all.host_waits.size()) one.host_waits = {all.host_waits[at]};
  return one;
}

Slowdown make_slowdown(const Slowdown& all, const Episode& one, FullStep full) {
  Slowdown made{all.observation, all.located, one, {}, all.reference, all.shared, {},
                all.on_path,     {},          {},  {}};
  made.full.push_back(std::move(full));
  add_longest_events(made.full.front(), made.longest_event);
  compare(made);
  return made;
}

}  // namespace a3sim
