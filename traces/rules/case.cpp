#include "traces/rules/case.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "traces/rules/step_path.h"

namespace a3sim {
namespace {

constexpr double kNoCell = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostFull = 4;  // full steps that are read of an episode

using OperatorKey = std::tuple<std::uint32_t, std::uint16_t, std::uint32_t>;  // rank, pass, operator

OperatorKey key_of(const OperatorRecord& of) { return {of.rank, of.pass, of.op}; }

// Whether two records are of the same work, nearly.
bool same_work(const OperatorRecord& a, const OperatorRecord& b, double near) {
  const double most = std::max(a.operations, b.operations);
  return std::abs(a.operations - b.operations) <= near * most;
}

// What is usual for the operators of a step: the reference's of the same rank; else of the recorded rank that took least.
std::vector<OperatorLag> operator_lags(const std::vector<FullStep>& full, const FullStep& reference,
                                       double near) {
  std::map<OperatorKey, const OperatorRecord*> usual;
  for (const OperatorRecord& of : reference.operators) usual[key_of(of)] = &of;
  std::vector<OperatorLag> lags;
  for (const FullStep& step : full) {
    std::map<std::pair<std::uint16_t, std::uint32_t>, const OperatorRecord*> least;
    for (const OperatorRecord& of : step.operators) {
      const OperatorRecord*& best = least[{of.pass, of.op}];
      if (!best || of.run < best->run) best = &of;
    }
    for (const OperatorRecord& of : step.operators) {
      const auto found = usual.find(key_of(of));
      const OperatorRecord* beside = found == usual.end() ? least[{of.pass, of.op}] : found->second;
      if (same_work(of, *beside, near)) lags.push_back({of, *beside});
    }
  }
  return lags;
}

struct KindSums {
  double time = 0, count = 0;
  std::string place;
  Duration longest{};
};
using HostSums = std::map<std::pair<std::uint32_t, HostKind>, KindSums>;

void add_host(const FullStep& step, const Observation& of, HostSums& sums) {
  std::map<std::pair<std::uint32_t, HostKind>, const HostRecord*> longest;
  for (const HostRecord& record : step.host) {
    KindSums& sum = sums[{record.rank, record.kind}];
    const auto time = static_cast<double>((record.end - record.start).count());
    sum.time += time;
    sum.count += record.count;
    const HostRecord*& best = longest[{record.rank, record.kind}];
    if (!best || record.end - record.start > best->end - best->start) best = &record;
  }
  for (const auto& [key, record] : longest) {
    KindSums& sum = sums[key];
    if (record->end - record->start <= sum.longest) continue;
    sum.longest = record->end - record->start;
    sum.place = of.place_of(*record);
  }
}

std::map<std::pair<std::uint32_t, HostKind>, HostTime> host_times(const Case& of) {
  HostSums now, usual;
  std::map<std::uint32_t, double> steps;
  for (const FullStep& step : of.full) {
    add_host(step, of.of, now);
    for (const std::uint32_t rank : step.ranks) ++steps[rank];
  }
  for (const HostRecord& record : of.reference.host) {
    usual[{record.rank, record.kind}].time += static_cast<double>((record.end - record.start).count());
    usual[{record.rank, record.kind}].count += record.count;
  }
  std::map<std::pair<std::uint32_t, HostKind>, HostTime> times;
  for (const auto& [key, sum] : now) {
    const double count = std::max(1.0, steps[key.first]);
    HostTime& time = times[key];
    time.time = sum.time / count - usual[key].time;
    time.count = sum.count / count - usual[key].count;
    time.place = sum.place;
  }
  return times;
}

double length(const TransferRecord& of) { return static_cast<double>((of.end - of.start).count()); }

// Bytes a ps, without the slowest twentieth: single ones that stick out are looked at by themselves.
double steady_rate(const std::vector<const TransferRecord*>& puts) {
  constexpr std::size_t kLeftOut = 20;
  constexpr std::size_t kFew = 4;
  std::vector<std::pair<double, double>> sorted;  // time a byte, bytes
  for (const TransferRecord* of : puts)
    if (of->bytes > 0) sorted.emplace_back(length(*of) / of->bytes, of->bytes);
  std::ranges::sort(sorted);
  if (sorted.size() >= kFew) sorted.resize(sorted.size() - (sorted.size() + kLeftOut - 1) / kLeftOut);
  double time = 0, bytes = 0;
  for (const auto& [a_byte, of] : sorted) {
    time += a_byte * of;
    bytes += of;
  }
  return time > 0 ? bytes / time : 0;
}

double mean_size(const TransferLags& lags, bool now) {
  double sum = 0, count = 0;
  for (const auto& [key, puts] : lags.puts) {
    for (const TransferRecord* of : now ? puts.now : puts.usual) {
      sum += of->bytes;
      ++count;
    }
  }
  return count > 0 ? sum / count : 0;
}

TransferLags transfer_lags(const Case& of) {
  const std::uint32_t ranks = of.of.ranks();
  TransferLags lags;
  const auto key_of = [](const TransferRecord& put) { return PutsOf{put.pass, put.op, put.src, put.dst}; };
  for (const FullStep& step : of.full)
    for (const TransferRecord& put : step.transfers)
      if (put.src < ranks && put.dst < ranks) lags.puts[key_of(put)].now.push_back(&put);
  for (const TransferRecord& put : of.reference.transfers) {
    const auto found = lags.puts.find(key_of(put));
    if (found != lags.puts.end()) found->second.usual.push_back(&put);
  }
  lags.size_now = mean_size(lags, true);
  lags.size_usual = mean_size(lags, false);
  std::vector<std::vector<double>> sums(ranks, std::vector<double>(ranks)), weights = sums;
  for (const auto& [key, puts] : lags.puts) {
    const double now = steady_rate(puts.now);
    const double usual = of.reference.transfers.empty() ? 1 : steady_rate(puts.usual);
    if (now <= 0 || usual <= 0) continue;
    double weight = 0;
    for (const TransferRecord* put : puts.now) weight += length(*put);
    sums[key.src][key.dst] += weight * std::log(now / usual);
    weights[key.src][key.dst] += weight;
  }
  lags.cells.assign(ranks, std::vector<double>(ranks, kNoCell));
  for (std::uint32_t s = 0; s < ranks; ++s)
    for (std::uint32_t d = 0; d < ranks; ++d)
      if (weights[s][d] > 0) lags.cells[s][d] = sums[s][d] / weights[s][d];
  lags.polish = median_polish(lags.cells);
  return lags;
}

}  // namespace

const TransferRecord* TransferLags::worst(std::uint32_t src, std::uint32_t dst) const {
  const TransferRecord* worst = nullptr;
  for (const auto& [key, of] : puts) {
    if (key.src != src || key.dst != dst) continue;
    for (const TransferRecord* put : of.now)
      if (!worst || put->end - put->start > worst->end - worst->start) worst = put;
  }
  return worst;
}

double Case::density() const {
  return static_cast<double>(episode.last() - episode.first() + 1) /
         static_cast<double>(episode.steps.size());
}

double Case::workers(CoreKind core) const {
  const ObservedMachine& machine = of.machine();
  return std::max(1.0, static_cast<double>(core == CoreKind::kCube ? machine.aic : machine.aiv));
}

bool Case::recorded(std::uint32_t rank) const {
  return std::ranges::any_of(
      full, [&](const FullStep& step) { return std::ranges::find(step.ranks, rank) != step.ranks.end(); });
}

std::string Case::place(std::uint32_t rank) const {
  LightRecord record;
  record.step = episode.first();
  record.rank = rank;
  return of.place_of(record);
}

Case make_case(const Observation& of, const Located& located, const Episode& episode,
               const FullStep& reference, const RuleData& shared) {
  Case made{of, located, episode, {}, reference, shared, {}, {}, {}, {}, {}};
  // As many different ranks as there are: a step that adds none comes last.
  std::vector<std::uint32_t> steps;
  for (const std::uint32_t step : of.full_steps())
    if (std::ranges::binary_search(episode.steps, step)) steps.push_back(step);
  for (const std::uint32_t step : steps) {
    if (made.full.size() >= kMostFull) break;
    made.full.push_back(of.full(step));
  }
  constexpr std::size_t kMostLooked = 10;  // for what hosts did
  std::size_t looked = 0;
  for (const std::uint32_t step : of.full_steps()) {
    if (step < episode.first() || step > episode.last() || looked++ >= kMostLooked) continue;
    for (const HostRecord& record : of.full(step).host) {
      double& longest = made.longest_event[{record.rank, record.kind}];
      longest = std::max(longest, static_cast<double>((record.end - record.start).count()));
    }
  }
  made.operators = operator_lags(made.full, reference, shared.at("equal_work"));
  made.on_path = operators_on_path(of, made.full);
  made.host = host_times(made);
  made.transfers = transfer_lags(made);
  return made;
}

}  // namespace a3sim
