#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "traces/import/job_reader.h"

// Accounts for all of the time of a profiled job's ranks: computing, exchanging data (transferring, waiting, standing still)
// and free.
namespace a3sim {
namespace {

using Exchange = GatheredRankStep::Exchange;

// Adds the part of a stretch that is not taken yet, and takes it. Returns its length.
Duration take(Times& taken, Duration from, Duration to) {
  if (from >= to) return {};
  const Duration free = to - from - length_of(times_within(taken, from, to));
  add_stretch(taken, from, to);
  return free;
}

ExchangeKind kind_of(std::string_view name, bool collective) {
  if (collective) return ExchangeKind::kCollective;
  if (name.starts_with("hcom_send")) return ExchangeKind::kSend;
  return name.starts_with("hcom_rec") ? ExchangeKind::kReceive : ExchangeKind::kBatch;
}

StepTime time_of_step(GatheredRankStep& seen) {
  StepTime time;
  time.length = seen.last - seen.first;
  time.computing = length_of(seen.kernels);
  // Where exchanges overlap, what transfers comes first, then what waits. An exchange waits for others before it transfers.
  Times taken = seen.kernels;
  const auto is_undecided = [](const Exchange& exchange) {
    return !exchange.transit_told && !exchange.split && exchange.collective;
  };
  for (const Exchange& exchange : seen.exchanges)
    (is_undecided(exchange) ? time.undecided : time.transferring) +=
        take(taken, exchange.start + exchange.waited,
             std::min(exchange.end, exchange.start + exchange.waited + exchange.transit));
  for (const Exchange& exchange : seen.exchanges)
    time.waiting += take(taken, exchange.start, std::min(exchange.end, exchange.start + exchange.waited));
  for (const Exchange& exchange : seen.exchanges) time.still += take(taken, exchange.start, exchange.end);
  Times exchanging;
  for (const Exchange& exchange : seen.exchanges)
    if (exchange.start < exchange.end) add_stretch(exchanging, exchange.start, exchange.end);
  time.hidden = length_of(exchanging) - time.exposed();
  time.free = std::max(Duration::zero(), time.length - time.computing - time.exposed());
  return time;
}

double off_by(Duration a, Duration b, Duration length) {
  return std::abs(seconds(a) - seconds(b)) / std::max(1e-12, seconds(length));
}

// Some versions have milliseconds where the others have microseconds.
void scale(StepTime::Told& told, Duration length) {
  constexpr int kUnits = 1000;
  constexpr double kAlike = 2;
  const double ratio = seconds(length) / std::max(1e-15, seconds(told.length()));
  if (ratio < kUnits / kAlike || ratio > kUnits * kAlike) return;
  for (Duration* time : {&told.computing, &told.exposed, &told.free}) *time *= kUnits;
}

constexpr double kAgrees = 0.05;  // of a step

// Takes over what the profiler sums up itself: free time before the first kernel, and exchanges of which there is no record.
void take_over_told(StepTime& time, bool exchanges_seen, bool kernels_seen) {
  const StepTime::Told& told = *time.told;
  const bool computes_alike = off_by(told.computing, time.computing, told.length()) < kAgrees;
  if (!kernels_seen) time.computing = told.computing;
  if (!exchanges_seen || !kernels_seen) {
    const double scale =
        time.exposed() > Duration::zero() ? seconds(told.exposed) / seconds(time.exposed()) : 0;
    for (Duration* part : {&time.transferring, &time.waiting, &time.still})
      *part = Duration(std::llround(static_cast<double>(part->count()) * scale));
    time.undecided = std::max(Duration::zero(), told.exposed - time.transferring - time.waiting - time.still);
  } else if (off_by(told.exposed, time.exposed(), told.length()) >= kAgrees) {
    return;
  }
  if (kernels_seen && !computes_alike) return;
  time.free = told.free;
  time.length = time.computing + time.exposed() + time.free;
}

}  // namespace

// Tells how long ranks waited in a collective. It ends on all of its ranks at once, so whoever is in it for the shortest time
// came last, whatever the clocks say.
void JobReader::compare_exchanges() {
  struct Call {
    Duration shortest = Duration::max();
    std::uint32_t last = kNone, ranks = 0;
    Duration waits{};
  };
  for (auto& [number, ranks] : seen_) {
    std::map<std::uint32_t, Call> calls;
    for (const auto& [rank, step] : ranks) {
      for (const Exchange& exchange : step.exchanges) {
        if (!exchange.collective) continue;
        Call& call = calls[exchange.call];
        ++call.ranks;
        if (exchange.end - exchange.start >= call.shortest) continue;
        call.shortest = exchange.end - exchange.start;
        call.last = rank;
      }
    }
    for (auto& [rank, step] : ranks) {
      for (Exchange& exchange : step.exchanges) {
        const Duration elapsed = exchange.end - exchange.start;
        if (!exchange.collective) {
          // Between two ranks all that does not transfer is a wait for the other one.
          if (!exchange.split && exchange.transit < elapsed) exchange.waited = elapsed - exchange.transit;
          continue;
        }
        Call& call = calls[exchange.call];
        if (call.ranks < 2) continue;
        const Duration waited = elapsed - call.shortest;
        call.waits += waited;
        if (exchange.split) continue;
        if (!exchange.transit_told) exchange.transit = elapsed - waited;
        exchange.waited = std::min(waited, elapsed - std::min(elapsed, exchange.transit));
        exchange.split = call.ranks >= to_.time_.groups[exchange.group].ranks.size();
      }
    }
    for (const auto& [rank, step] : ranks) {
      for (const Exchange& exchange : step.exchanges) {
        if (!exchange.collective) continue;
        Call& call = calls[exchange.call];
        if (call.last != rank || call.ranks < 2 || call.waits <= Duration::zero()) continue;
        auto& [count, waits] = to_.time_.groups[exchange.group].last[rank];
        ++count;
        waits += call.waits / (call.ranks - 1);
        call.waits = {};
      }
    }
  }
}

void JobReader::account() {
  ProfiledTime& time = to_.time_;
  time.tables = to_.tables_;
  time.folders = to_.folders_;
  time.ordered = has_.order;
  time.pytorch = kineto_;
  for (auto& [number, ranks] : seen_) {
    for (auto& [rank, seen] : ranks) {
      if (!seen.seen() && !seen.told) continue;
      const bool kernels_seen = !tableless_.contains(rank);
      if (!kernels_seen && !seen.told) continue;
      std::ranges::stable_sort(seen.exchanges, {}, &Exchange::start);
      StepTime step = seen.seen() ? time_of_step(seen) : StepTime();
      step.step = number;
      step.rank = rank;
      if (seen.told) {
        step.told = seen.told;
        scale(*step.told, step.length);
        take_over_told(step, in_exchanges_.contains(rank), kernels_seen);
      }
      time.steps.push_back(step);
      Times taken = seen.kernels;
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> sums;
      for (const Exchange& exchange : seen.exchanges) {
        const auto [found, added] = sums.try_emplace({exchange.group, exchange.name}, time.exchanges.size());
        if (added) {
          ExchangeTime& made = time.exchanges.emplace_back();
          made.step = number;
          made.rank = rank;
          made.group = exchange.group;
          made.name = to_.job_.names[exchange.name];
          made.kind = kind_of(made.name, exchange.collective);
        }
        ExchangeTime& sum = time.exchanges[found->second];
        const Duration elapsed = exchange.end - exchange.start;
        ++sum.count;
        sum.elapsed += elapsed;
        sum.transfer += exchange.transit;
        sum.waited += exchange.waited;
        sum.bytes += exchange.bytes;
        sum.split = sum.split && exchange.split;
        if (kernels_seen) sum.exposed += take(taken, exchange.start, exchange.end);
        if (elapsed <= sum.longest) continue;
        sum.longest = elapsed;
        sum.longest_at = exchange.start;
        sum.line = exchange.line;
      }
    }
  }
}

// Says where the profiler's own sums and what its tables hold differ.
void JobReader::tell_differences() {
  std::size_t differ = 0, told = 0;
  const StepTime* worst = nullptr;
  double most = 0;
  for (const StepTime& step : to_.time_.steps) {
    if (!step.told || tableless_.contains(step.rank)) continue;
    ++told;
    const Duration length = step.told->length();
    const double off = std::max(off_by(step.told->computing, step.computing, length),
                                off_by(step.told->exposed, step.exposed(), length));
    if (off < kAgrees) continue;
    ++differ;
    if (off <= most) continue;
    most = off;
    worst = &step;
  }
  if (!worst) return;
  to_.job_.missing.push_back(
      {fmt::format(
           "{}/step_trace_time.csv:{}: {} of {} steps of ranks differ from the tables beside it; step {} of "
           "rank {}: "
           "computing {:.3f} ms, tables {:.3f}; communication not overlapped {:.3f} ms, tables {:.3f}",
           to_.folders_[worst->rank], worst->told->line, differ, told, worst->step, worst->rank,
           milliseconds(worst->told->computing), milliseconds(worst->computing),
           milliseconds(worst->told->exposed), milliseconds(worst->exposed())),
       "what else took time there"});
}

}  // namespace a3sim
