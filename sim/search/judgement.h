#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "sim/search/gain_ranges.h"
#include "sim/search/published_change.h"
#include "sim/search/verification.h"

namespace a3sim {

// The claim that is made of the order that a search found.
enum class GainVerdict : std::uint8_t {
  kNothing,   // nothing is faster in training, or less than kLeastGain
  kDenied,    // runs with all ranks show no gain, as configured, with the same settings, or elsewhere
  kNotKnown,  // the gain rests on values that nobody has measured, or is smaller than the model's error
  kConfiguredAlone,  // a gain as configured, of a search for that alone; none elsewhere
  kHolds,
};
constexpr auto names_of(GainVerdict) {
  return std::to_array<std::string_view>({"nothing", "denied", "not known", "as configured alone", "holds"});
}

// A verdict, and what it follows from.
struct Judgement {
  GainVerdict verdict = GainVerdict::kNothing;
  std::string why{};  // unless the gain holds: the reason, as a clause
  double gain = 0;    // what is claimed, the smallest of all that were verified; 0 if nothing is claimed
  Verification verified{};
  GainRanges ranges{};
  std::optional<PublishedChange> nearest{};

  bool claims() const { return verdict == GainVerdict::kHolds || verdict == GainVerdict::kConfiguredAlone; }
};

// Judges what a search has found.
class Judge {
 public:
  // All must outlive this object.
  Judge(const SearchProblem& problem, const SearchOptions& options, const SearchOutcome& outcome,
        CandidateRuns& runs)
      : problem_(problem),
        options_(options),
        outcome_(outcome),
        runs_(runs),
        verifier_(problem, options, outcome, runs) {}

  // Judges the winner, or another order with the winner's settings, whose gain in training is `trained`. `own_order` tells
  // that its order is no shipped one.
  Judgement judge(double trained, const NamedOrder* order, bool own_order);
  Verifier& verifier() { return verifier_; }

 private:
  const std::optional<PublishedChange>& nearest();

  const SearchProblem& problem_;
  const SearchOptions& options_;
  const SearchOutcome& outcome_;
  CandidateRuns& runs_;
  Verifier verifier_;
  StartTimes start_times_;
  std::optional<std::optional<PublishedChange>> nearest_;
};

}  // namespace a3sim
