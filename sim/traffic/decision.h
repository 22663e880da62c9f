#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/traffic/traffic.h"
#include "sim/core/statistics.h"
#include "sim/traffic/remedies.h"
#include "sim/traffic/unevenness.h"
#include "traces/report/report.h"

namespace a3sim {

struct DecideOptions {
  unsigned threads = 1;  // results do not depend on it
  std::uint32_t steps =
      12;  // that are run, of the second half of the record; half as many of its second quarter
  std::uint32_t redundant = 1;       // copies of experts on each rank
  double least = 0.01;               // what saves a smaller part of the time is not worth it
  std::vector<std::string> paths{};  // presets; empty: all
};

enum class BalanceVerdict : std::uint8_t { kDo, kDoNot, kUndecided };
constexpr auto names_of(BalanceVerdict) {
  return std::to_array<std::string_view>({"do it", "do not", "undecided"});
}

// The result of a remedy on the steps after those on which it was decided. Gains are parts of the time without it; intervals are of
// 95 %, over the steps that were run.
struct BalanceRemedy {
  std::string name, on, refused;
  MedianInterval gain;  // without the move
  // With the move, spread over the steps until it is made anew. One that is made once, and whose gain has not worn off in the record,
  // has no such end: then as `gain`, and `break_even` says from when on. One whose gain has worn off is spread over the record's rest.
  MedianInterval net;
  MedianInterval
      promised;        // on the second quarter, decided on the first: what half of the record would have said
  double busiest = 1;  // busiest rank over mean, in the median step
  MoveCost move;
  double again = 0;    // steps after which it is made anew; 0: once
  double horizon = 0;  // steps over which a move is spread; 0: no end is seen
  Duration saved{};    // a step, in the median
  // Steps after which the move has come back; below 0: never.
  double break_even = -1;
  BalanceVerdict verdict = BalanceVerdict::kDoNot;
  // It would pay, but the move comes back only after more steps than the record shows.
  bool unseen = false;
};

// A way to run the layer, on the same steps.
struct PathCost {
  std::string name, refused;
  Latencies steps;       // on traffic
  Duration even{};       // balanced
  MedianInterval apart;  // how much longer than as configured, as a part of that
};

// The time of paths at another number of tokens per rank.
struct SizeCost {
  std::uint32_t tokens = 0;
  std::vector<Duration> paths;  // in the order of the paths, in the median step; 0: it does not run
  std::size_t fastest = 0;
};

// The busiest rank over the mean, if experts are placed by a step's counts, so many steps later.
struct Age {
  std::size_t steps = 0;
  double busiest = 1;
};

struct TrafficDecision {
  std::string log, layer_text;
  std::uint32_t layer = 0;
  MoeShape shape;
  std::string machine, pass;
  Unevenness unevenness;
  std::vector<std::size_t> paid;  // the steps that were run
  std::size_t rest = 0;           // steps behind those on which it was decided
  std::vector<PathCost> paths;    // the first is as configured
  std::vector<SizeCost> sizes;
  std::vector<Age> ages;
  double unplaced = 1;  // busiest rank over mean as it is, for `ages`
  std::vector<BalanceRemedy> remedies;
  // The one that the sentence is about: the best of those that pay, or else the best.
  std::size_t best = 0;
  // The remedy that half of the record would have chosen (remedies.size(): none), its gain on the other half, and how much
  // less that is than the best remedy's in hindsight.
  std::size_t chosen_early = 0;
  double paid_early = 0, regret = 0;
  std::vector<RoutingCounts> steps;  // of the record, for the page

  BalanceVerdict verdict() const {
    return remedies.empty() ? BalanceVerdict::kUndecided : remedies[best].verdict;
  }
  std::string sentence() const;
};

// Decides for one layer of a log. `experiment` has the log's numbers of experts and of experts per token, and the tokens and ranks
// of a step. Throws InputError if the log has fewer than kFewestSteps steps.
inline constexpr std::size_t kFewestSteps = 8;
TrafficDecision decide(const TrafficLog& log, std::uint32_t layer, const Experiment& experiment,
                       const DecideOptions& options);

// Returns whether something that saves this much, with its interval, is worth it.
BalanceVerdict verdict_of(const MedianInterval& net, double least);

Report decision_report(const TrafficDecision& decision);

}  // namespace a3sim
