#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/statistics.h"
#include "sim/search/search.h"

namespace a3sim {

// A gain below this counts as none.
inline constexpr double kLeastGain = 0.005;

// The gain of an order over the best order to start from in one condition: all ranks run, in several draws of task times and
// rates, the same for both.
struct VerifiedGain {
  std::string condition;
  std::string refused{};     // why one of the two cannot run; then the rest is empty
  double gain = 0;           // mean over draws of 1 - (latency / that of the best order to start from)
  double low = 0, high = 0;  // its 95 % interval over draws
  std::string best_start{};  // the order to start from that is best there
  std::size_t start = 0;     // its position
  bool by_keys = false;      // the lists are of other tasks, so that the keys that they came from ran

  // Returns whether this is a gain, and above the noise.
  bool clear() const { return refused.empty() && gain >= kLeastGain && low > 0; }
};

// The gains of an order with all ranks.
struct Verification {
  std::vector<VerifiedGain> as_configured;  // one, or one for each value of SearchOptions::over
  std::optional<VerifiedGain>
      same_settings;  // over the shipped orders with the order's own settings, as `try` compares them
  std::vector<VerifiedGain> elsewhere;  // in conditions that nothing was trained on
  MeanInterval mean_elsewhere;          // over those that both can run in

  // Returns the smallest of these gains: those as configured, the one with the same settings, the mean elsewhere.
  double smallest() const;
  // Returns the first gain as configured or with the same settings that is not clear; null: all are.
  const VerifiedGain* denial() const;
  // Returns whether the gain holds elsewhere: the interval of its mean lies above zero, or all conditions gain and together
  // clearly, since few that gain by unlike amounts have a wide interval. True without such conditions.
  bool holds_elsewhere() const;
};

// Runs orders with all ranks. What the orders to start from take in a condition is known after its first use.
class Verifier {
 public:
  // All must outlive this object.
  Verifier(const SearchProblem& problem, const SearchOptions& options, const SearchOutcome& outcome,
           CandidateRuns& runs);

  // Verifies the winner, or another order with the winner's settings. `own_order` tells that its order is no shipped one.
  Verification verify(const NamedOrder* order, bool own_order);
  // Returns the sorted start that, with the winner's settings, is as fast as the winner but for kLeastGain, as configured and
  // without noise; nullopt if there is none, or the winner has no settings.
  std::optional<std::size_t> start_as_fast();

 private:
  // The best order to start from in each scenario of a stage, and its latencies by draw.
  struct BestStarts {
    std::vector<std::string> refused;
    std::vector<std::size_t> start;
    std::vector<Latencies> latencies;
  };
  BestStarts best_starts(const SearchStage& stage, std::span<const std::size_t> starts);
  std::vector<VerifiedGain> gains(const SearchStage& stage, const BestStarts& best, const NamedOrder* order);
  SearchStage own_settings() const;
  std::vector<std::size_t> starts_elsewhere() const;

  const SearchProblem& problem_;
  const SearchOutcome& outcome_;
  CandidateRuns& runs_;
  std::vector<std::size_t> starts_;  // all that fit, the best in training first
  SearchStage configured_, elsewhere_;
  std::optional<BestStarts> of_configured_, of_elsewhere_;
};

// Returns settings that make all ranks of an experiment run, if some stand for others.
std::vector<std::string> all_ranks(const Experiment& experiment);

}  // namespace a3sim
