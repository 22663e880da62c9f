#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/study/search/search.h"

namespace a3sim {

// The gain at one end of a value's range.
struct GainAtEnd {
  std::string value;           // the end, or the last value before it that the configuration's reader accepts
  std::optional<double> gain;  // nullopt if an order cannot run there
};

// A value of the machine or the program that its file states with a range, and the gain with it alone at either end.
struct RangedGain {
  std::string path, value, source;
  GainAtEnd low, high;
  double least(double otherwise) const;
  double most(double otherwise) const;
};

// What an order gains if what is known only within ranges is not as the files state it.
struct GainRanges {
  std::string condition;           // what ran: the space's cheapest rung, or the configuration as it is
  double as_stated = 0;            // the gain there
  std::vector<RangedGain> values;  // those that move the gain, the one that lessens it most first
  std::size_t without_effect = 0;  // number of values that do not move it
  double low = 0, high = 0;        // least and most gain of all of these
  std::optional<double> together;  // the gain with all values at those ends that lessen it

  // A gain holds if it is one with every value alone at either end. The one with all together is what is to be feared
  // at most, and no condition.
  bool holds() const { return values.empty() || low > 0; }
};

// Runs the winner, or another order with the winner's settings, and the best start with each value at the ends of its
// range. In the three ends with the least gain, all starts run, since another may be the best there.
GainRanges gain_ranges(const SearchProblem& problem, const SearchOptions& options,
                       const SearchOutcome& outcome, CandidateRuns& runs, const NamedOrder* order = nullptr);

// Returns the position of the best candidate that gains in training, and at every end at which a winner that was left out
// does not; nullopt if none of the best ones does. `left_out` has the positions of those winners.
std::optional<std::size_t> best_that_holds(const SearchOptions& options, const SearchOutcome& outcome,
                                           std::span<const GainRanges> of_left_out,
                                           const std::set<std::size_t>& left_out, CandidateRuns& runs);

// Returns "hardware.fabric.put_startup (0.3 us) at 0.01 us: -1.20 %" for the end with the least gain.
std::string weakest_end(const GainRanges& ranges);

}  // namespace a3sim
