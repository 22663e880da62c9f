#pragma once

#include <string>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

// Reads two lists of operators from the block `experiment`: those that share one taskflow (`kernels`), and
// those whose kernels come last in their stream (`postponed`). Entries are names of operators or patterns of
// names (GMM*). Notes what is wrong.
void read_kernels(const Config& block, Experiment& experiment);

// An error in a key of the block `experiment`.
struct KernelListError {
  std::string key, why;
};

// Replaces the lists' entries by the names of operators of the experiment's passes, which must be known.
// Returns what is wrong: entries that no operator fits, an operator in two kernels, or one that reads what a
// later kernel writes. `experiment.order.elsewhere` holds the operators of other passes. Does nothing for an
// experiment without passes.
std::vector<KernelListError> name_kernels(Experiment& experiment);

}  // namespace a3sim
