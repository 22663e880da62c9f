#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/search/verification.h"

namespace a3sim {

// The gain with a value at one end of its range.
struct GainAtEnd {
  std::string value;           // the end, or the last value before it that the configuration's reader accepts
  std::optional<double> gain;  // nullopt if an order cannot run there
};

// A value of the machine or the program that its file states with a range, and the gain with it alone at either end.
struct RangedGain {
  std::string path, value, range, source;
  std::string measure;  // the microbenchmark that would decide; may be empty
  GainAtEnd low, high;
  double least(double otherwise) const;
  double most(double otherwise) const;
};

// The gain of an order, with all ranks, where values that are known only within ranges differ from the files.
struct GainRanges {
  std::string condition;           // "all ranks", or the rung whose runs are the same to the picosecond
  double as_stated = 0;            // the gain there
  std::vector<RangedGain> values;  // those that move the gain, the one that lessens it most first
  std::size_t without_effect = 0;  // number of values that do not move it
  double low = 0, high = 0;        // least and most gain of all of these
  std::optional<double> together;  // the gain with all values at those ends that lessen it

  // A gain is known if it is one with every value alone at either end, and with all of them at the ends that lessen it.
  bool known() const { return values.empty() || std::min(low, together.value_or(low)) >= kLeastGain; }
  // Returns true if no value alone leaves less than a gain.
  bool known_alone() const { return low >= kLeastGain; }
  // Returns the values on which a gain rests that is not known: those that alone leave none, or else the few that lessen it
  // most.
  std::vector<RangedGain> rests_on() const;
};

// Times of starts by what they ran with, for judgements of one search to share.
using StartTimes = std::map<std::string, Duration>;

// Runs the winner, or another order with the winner's settings, and the best start with each value at the ends of its
// range. In the three ends with the least gain, all starts run, since another may be the best there. `same_settings`: the best
// start with the winner's settings, if these are a part of the gain and the order has to gain over it, too; the gain is then the
// smaller one.
GainRanges gain_ranges(const SearchProblem& problem, const SearchOptions& options,
                       const SearchOutcome& outcome, const CandidateRuns& runs, StartTimes& known,
                       const NamedOrder* order = nullptr,
                       std::optional<std::size_t> same_settings = std::nullopt);

// Returns the first of these candidates (positions in `outcome.candidates`) that gains at each of the ends at which orders
// that were left out do not; nullopt if none does.
std::optional<std::size_t> first_that_gains(const SearchProblem& problem, const SearchOptions& options,
                                            const SearchOutcome& outcome, const CandidateRuns& runs,
                                            std::span<const GainRanges> of_left_out,
                                            std::span<const std::size_t> candidates);

// Returns "hardware.fabric.put_startup (0.3 us, known within 0.01 us to 0.3 us)" for each value, and how to measure them.
std::string names_of_values(std::span<const RangedGain> values);
std::string how_to_measure(std::span<const RangedGain> values);

}  // namespace a3sim
