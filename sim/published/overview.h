#pragma once

#include <string>
#include <vector>

#include "sim/published/comparison.h"

namespace a3sim {

// The comparisons of one experiment, default variant only.
struct Compared {
  std::string experiment;
  std::vector<Comparison> comparisons;
  ErrorBars bars{};  // of its points; empty: out of date
};

// Returns the main table: the paper's MoE-FFN in three ways, with the published values. Empty if no
// experiment is moe_ffn.
std::string main_table(const std::vector<Compared>& all);

// Returns a line for each experiment: how far predictions and the simplest formula lie from published
// values (`half of it`: predictions err at most half as much, over points that the formula covers), and how
// many published values lie inside the error bars. Values that follow from others do not count.
std::string trust_table(const std::vector<Compared>& all);

// Says in a sentence why the static schedule wins at EP4, or that it does not. Runs it twice, kernel by
// kernel and static.
std::string why_static_wins(const Scenario& scenario);

}  // namespace a3sim
