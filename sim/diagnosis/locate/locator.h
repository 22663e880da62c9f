#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "sim/diagnosis/locate/limits.h"
#include "sim/diagnosis/locate/rank_step.h"

namespace a3sim {

// What a step takes, by those before it: the median of the last that were not slow, and 1.4826 times their median
// absolute deviation, which is the standard deviation of normal noise.
class StepHistory {
 public:
  explicit StepHistory(const LocateLimits& limits) : limits_(limits) {}

  bool empty() const { return usual_.empty(); }
  double median() const { return median_; }
  double deviation() const { return deviation_; }
  std::size_t size() const { return usual_.size(); }
  // Above the median by more than `share` of it, and no less than so many deviations.
  bool above(double took, double share, double deviations) const;
  // The median of the last steps, slow ones too, is shifted.
  bool shifted() const;

  void add(double took, bool slow);
  // A step that was taken for a usual one was not.
  void take_back();

 private:
  void measure();

  LocateLimits limits_;
  std::deque<double> usual_, last_;
  double median_ = 0, deviation_ = 0;
};

// Which ranks are recorded in full in the next step. A slow step asks for its suspects until so many steps that were
// slow because of them have been recorded; what comes and goes is waited for, but not for long. Who was recorded is
// asked for again only after a long time without.
class RecordRequests {
 public:
  explicit RecordRequests(const LocateLimits& limits) : limits_(limits) {}

  // A step, whether it was slow, because of whom (kNone: all alike), and whom to look at beside them.
  void add(std::uint32_t step, bool slow, const std::vector<std::uint32_t>& suspects,
           const std::vector<std::uint32_t>& beside);
  const std::vector<std::uint32_t>& wanted() const { return wanted_; }

 private:
  struct Request {
    std::uint32_t recorded = 0, slow = 0;  // steps
    std::vector<std::uint32_t> ranks;
  };
  bool is_done(const Request& of) const;

  LocateLimits limits_;
  std::map<std::uint32_t, Request> open_;        // by suspect
  std::map<std::uint32_t, std::uint32_t> done_;  // by suspect: the last slow step because of it
  std::vector<std::uint32_t> wanted_;
};

// What is said of one step.
struct StepVerdict {
  std::uint32_t step = 0;
  double took = 0, usual = 0;  // ps
  bool slow = false;
  bool before_too = false;  // so was the step before, which alone did not say so
  // Ranks whose own time grew by more than that of most, the most first, at most kMostSuspects; none: all alike.
  std::vector<std::uint32_t> suspects;
};
inline constexpr std::size_t kMostSuspects = 4;

// Looks at a job's steps as they come and says which are slow, and because of whom; and which ranks to record in full
// in the steps to come. What it holds does not grow with the number of steps.
class Locator {
 public:
  // `reference`: light records of a step without faults and noise; empty: not known, and the first step tells nothing of
  // what is usual: when its ranks could have begun, the end of the step before it would say.
  Locator(const LocateLimits& limits, std::uint32_t ranks, std::span<const LightRecord> reference);

  // All records of the next step. Valid until the next call.
  const StepVerdict& add(std::uint32_t step, std::span<const LightRecord> records);

  // Whom to record in full in the next step; empty: nobody. Suspects, and ranks that are none.
  const std::vector<std::uint32_t>& wanted() const { return requests_.wanted(); }
  // The same for the slow step itself, where that can be run again.
  const std::vector<std::uint32_t>& of_slow_step() const { return of_slow_step_; }

 private:
  bool is_slow(double took) const;
  double lag_of(std::uint32_t rank, const std::vector<RankStep>& ranks) const;
  void find_lags(const std::vector<RankStep>& ranks, std::span<const LightRecord> records);
  void find_suspects();
  void learn(const std::vector<RankStep>& ranks);
  void ask();
  std::vector<std::uint32_t> beside() const;

  LocateLimits limits_;
  RankSteps steps_;
  StepHistory history_;
  StepVerdict verdict_;
  bool first_ = true;
  bool above_before_ = false, slow_before_ = false;  // the step before
  double reference_ = 0;                             // ps; 0: not known
  // Own times of ranks in steps that were not slow: means of about the last `window`, and of deviations from them.
  std::vector<double> own_, spread_;
  std::vector<double> own_of_record_;  // the same of each record of a step; empty: not known
  std::uint32_t learned_ = 0;
  std::vector<double> lags_;

  RecordRequests requests_;
  std::vector<std::uint32_t> of_slow_step_;
};

}  // namespace a3sim
