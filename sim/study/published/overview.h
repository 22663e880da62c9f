#pragma once

#include <string>
#include <vector>

#include "sim/study/published/comparison.h"

namespace a3sim {

// One experiment's comparisons, of the default variant.
struct Compared {
  std::string experiment;
  std::vector<Comparison> comparisons;
  ErrorBars bars{};  // of its points; none: stale
};

// The main table: the paper's MoE-FFN in three ways, each beside what was published. Empty if none of the
// experiments is moe_ffn.
std::string main_table(const std::vector<Compared>& all);

// How far the predictions lie from what was published, how far the simplest formula does (`half of it`: whether predictions
// err at most half as much, of the points that it says something about), and how many published values lie inside the
// predictions' error bars; a line an experiment. Values that follow from others do not count.
std::string trust_table(const std::vector<Compared>& all);

// Why the static schedule wins at EP4, or that it does not, in a sentence: from two runs, kernel by kernel
// and static.
std::string why_static_wins(const Scenario& scenario);

}  // namespace a3sim
