#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "sim/diagnosis/locate/limits.h"
#include "sim/diagnosis/locate/rank_step.h"

namespace a3sim {

// Predicts the time of a step: the median of the last steps that were not slow, and 1.4826 times their median
// absolute deviation, which is the standard deviation for normal noise.
class StepHistory {
 public:
  explicit StepHistory(const LocateLimits& limits) : limits_(limits) {}

  bool empty() const { return usual_.empty(); }
  double median() const { return median_; }
  double deviation() const { return deviation_; }
  std::size_t size() const { return usual_.size(); }
  // Returns whether `took` exceeds the median by more than `share` of it and by at least this many
  // deviations.
  bool above(double took, double share, double deviations) const;
  // Returns whether the median of the last steps, including slow ones, has shifted.
  bool shifted() const;

  void add(double took, bool slow);
  // Removes the last step from the usual ones, because it turned out to be slow.
  void take_back();

 private:
  void measure();

  LocateLimits limits_;
  std::deque<double> usual_, last_;
  double median_ = 0, deviation_ = 0;
};

// What makes a rank slow, as light records tell: a batch that is missing, else its host, else its own work.
enum class Lateness : std::uint8_t { kOwn, kHost, kBatch };
using Latenesses = std::set<Lateness>;

// Chooses the ranks to record in full in the next step. After a slow step these are its suspects, until
// enough slow steps with the same suspects are recorded; the wait for an intermittent fault is limited. A
// recorded rank is requested again after a long pause. It is also requested again, a few times, after slow
// steps had stopped, if they lose much more or less than the recorded ones, or if the rank is now late for a reason that
// was not recorded, because this may be another fault.
class RecordRequests {
 public:
  explicit RecordRequests(const LocateLimits& limits) : limits_(limits) {}

  // Adds a step: its time above the usual in ps, or 0 if it was not slow; its suspects (kNone: no rank stands
  // out); ranks to record beside them; and why each rank is late. `grown` is the growth in ps that is worth another record.
  void add(std::uint32_t step, double lost, const std::vector<std::uint32_t>& suspects,
           const std::vector<std::uint32_t>& beside, const std::vector<Lateness>& lateness, double grown);
  const std::vector<std::uint32_t>& wanted() const { return wanted_; }

 private:
  struct Request {
    std::uint32_t recorded = 0, slow = 0;  // number of steps
    double lost = 0;                       // ps, the least of a slow step
    std::uint32_t again = 0;               // times that it was recorded before
    std::vector<std::uint32_t> ranks;
    Latenesses lateness;
  };
  struct Done {
    std::uint32_t step = 0;  // the last slow one
    double lost = 0;         // ps, when it was recorded
    std::uint32_t again = 0;
    std::uint32_t recorded = 0;  // the last step that was recorded for it
    Latenesses lateness;         // in the steps that were recorded for it
  };
  bool is_done(const Request& request) const;

  LocateLimits limits_;
  std::map<std::uint32_t, Request> open_;  // one entry per suspect
  std::map<std::uint32_t, Done> done_;     // one entry per suspect
  std::vector<std::uint32_t> wanted_;
};

// The locator's verdict on one step.
struct StepVerdict {
  std::uint32_t step = 0;
  double took = 0, usual = 0;  // ps
  bool slow = false;
  bool before_too = false;  // the step before was slow too, which its own time alone did not show
  // Ranks whose own time grew by more than that of most, the largest growth first, at most kMostSuspects.
  // Empty: no rank stands out.
  std::vector<std::uint32_t> suspects;
};
inline constexpr std::size_t kMostSuspects = 4;

// Decides step by step which steps of a job are slow, which ranks are suspect, and which ranks to record in
// full next. Its size does not grow with the number of steps.
class Locator {
 public:
  // `reference`: light records of a step without faults and noise; may be empty. Without it the first step
  // cannot be judged, since the end of the step before it, when its ranks could have begun, is unknown.
  Locator(const LocateLimits& limits, std::uint32_t ranks, std::span<const LightRecord> reference);

  // Shows a step that is known to be usual, before the first is added.
  void show_usual(double took, const std::vector<RankStep>& ranks, const std::vector<double>& own);

  // Adds all records of the next step. The result is valid until the next call.
  const StepVerdict& add(std::uint32_t step, std::span<const LightRecord> records);

  // Returns the ranks to record in full in the next step: suspects, and ranks to compare them with. Empty:
  // none.
  const std::vector<std::uint32_t>& wanted() const { return requests_.wanted(); }
  // Returns the ranks to record in full in the slow step itself, if it can be run again.
  const std::vector<std::uint32_t>& of_slow_step() const { return of_slow_step_; }

 private:
  bool is_slow(double took) const;
  double lag_of(std::uint32_t rank, const std::vector<RankStep>& ranks) const;
  void find_lags(const std::vector<RankStep>& ranks, std::span<const LightRecord> records);
  void find_suspects();
  void find_lateness(const std::vector<RankStep>& ranks);
  void learn(const std::vector<RankStep>& ranks, const std::vector<double>& own_now);
  void ask();
  std::vector<std::uint32_t> beside() const;

  LocateLimits limits_;
  RankSteps steps_;
  StepHistory history_;
  StepVerdict verdict_;
  bool first_ = true;
  bool above_before_ = false, slow_before_ = false;  // the step before
  double reference_ = 0;                             // ps; 0: not known
  // Running means, over about `window` steps that were not slow, of the ranks' own times and of their
  // deviations.
  std::vector<double> own_, spread_;
  std::vector<double> host_;           // the running mean of how long ranks wait for their hosts, ps
  std::vector<double> own_of_record_;  // the same for each record of a step; empty: not known
  std::uint32_t learned_ = 0;
  std::vector<double> lags_;
  std::vector<Lateness> lateness_;

  RecordRequests requests_;
  std::vector<std::uint32_t> of_slow_step_;
};

}  // namespace a3sim
