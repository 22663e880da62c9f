#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/statistics.h"
#include "sim/experiment/run/bounds.h"
#include "traces/analysis/critical_path.h"
#include "traces/report/report.h"

namespace a3sim {

// A cause on a critical path: evidence of a limit, not the gain of another machine.
struct PathShare {
  Blame cause{};
  std::string name;                    // "cube arithmetic"; "puts that share leaf0->spine1"
  double part = 0;                     // of the latency
  std::vector<std::string> operators;  // at most two that most of it is in
};

// True if a gain is known from several runs, and may as well be none. That of a single run has no interval.
inline bool is_noise(const MedianInterval& gain) { return gain.low != gain.high && !gain.clear(); }

// Something that may limit a run, and the shares of its latency that a change of it saves.
struct LimitCandidate {
  std::string
      name;  // "HBM"; "cube arithmetic + loads to L1 (misses, hits)" for parts that pace tasks together
  std::string cause;                           // on the critical path, its evidence: "cube"; empty: none
  std::optional<MedianInterval> better, free;  // 10 % better; free
  std::vector<std::string> parts;              // names of several parts that change at once; else empty
  std::vector<std::string> also{};             // further causes on the path that are its own: "link"

  bool together() const { return !parts.empty(); }
  // The key of the ranking: the gain of 10 %, or a tenth of the whole gain where that is noise or nobody can tell. What is noise
  // gains nothing.
  double gain() const {
    if (better && !is_noise(*better)) return better->median;
    return free && !is_noise(*free) ? free->median / 10 : 0;
  }
};

// A part gains far less than the path is blamed on it if that is so many times what it gains if free: other parts pace the same tasks.
inline constexpr double kFarLess = 3;

// The limits of a pass of a run.
struct Verdict {
  std::string pass;
  Duration latency{}, bound{};               // bound: zero if none is known
  std::string bound_by;                      // "cube"; "cable leaf0->spine1"
  std::vector<PathShare> path;               // the largest first; empty: the tasks are not known
  std::vector<LimitCandidate> candidates{};  // by gain(), the largest first; empty: no variation has run
  std::string not_tried{};                   // why none has; empty: nobody asked
  bool streams = false;                      // kernels run on streams, so that no queue has an order

  // Says that kernels run on streams. What the cubes cannot do faster is then whole kernels, with their loads and stores.
  void on_streams();
  // Returns the share of the latency above the bound. No order gains more; whether one gains as much is not known.
  double room() const {
    return latency > bound && bound > Duration::zero() ? 1 - seconds(bound) / seconds(latency) : 0;
  }
};

// Returns what a pass itself tells, without candidates. `path` may be null: the tasks are not known.
Verdict verdict_of(std::string pass, const Trace& trace, const CriticalPath* path, Duration bound,
                   std::string bound_by);
// Returns how a bound is named: the cable itself, if it is one.
std::string bound_name(const Bounds& bounds);

// Returns the share of the path that a cause has, and how candidates show it: "cube 67.7 %"; empty if it has none.
double part_of_path(const Verdict& verdict, std::string_view cause);
std::string evidence_of(const Verdict& verdict, std::string_view cause);

// Orders the candidates by what they gain.
void rank(Verdict& verdict);

// Returns a name for parts that change at once: what they begin with is named once.
std::string joined_name(const std::vector<std::string>& parts);

// Says in words what limits the pass: the first candidate and what it gains, where the critical path seems to say something
// else, and how much an order can gain at most. Says nothing of gains where no variation has run.
std::string verdict_text(const Verdict& verdict);
// Adds the candidates with their gains, and another order with what it gains at most; where none has run, the
// causes on the path.
void add_limits(Report& report, const Verdict& verdict);
// Adds the sentence too, below.
void add_verdict(Report& report, const Verdict& verdict);

}  // namespace a3sim
