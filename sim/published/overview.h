#pragma once

#include <string>
#include <vector>

#include "sim/published/comparison.h"
#include "traces/report/table.h"

namespace a3sim {

// The comparisons of one experiment, default variant only.
struct Compared {
  std::string experiment;
  std::vector<Comparison> comparisons;
  ErrorBars bars{};  // of its points; empty: out of date
};

// Returns the main table: the paper's MoE-FFN in three ways, with the published values. Without rows if no
// experiment is moe_ffn.
Table main_table(const std::vector<Compared>& all);

// Returns a line for each experiment: how far predictions and the simplest formula lie from published
// values (`half of it`: predictions err at most half as much, over points that the formula covers), and how
// many published values lie inside the error bars. Values that follow from others do not count.
Table trust_table(const std::vector<Compared>& all);

// Says in a sentence how far an experiment's predictions lie from published values, and the simplest formula's; empty if
// nothing of it was published.
std::string trust_sentence(const Compared& one);

// Times on the critical path of both passes of EP4, in ms.
struct PathTimes {
  double makespan = 0, communication = 0, launches = 0;
  double cores() const { return makespan - communication - launches; }  // their work, and its memory
};
struct StaticGain {
  PathTimes kernel, tiles;  // kernel by kernel; static
};
// Runs EP4 in both ways.
StaticGain static_gain(const Scenario& scenario);
// Says in a sentence why the static schedule wins, or that it does not; and the same as a table.
std::string why_static_wins(const StaticGain& gain);
Table static_gain_table(const StaticGain& gain);

}  // namespace a3sim
