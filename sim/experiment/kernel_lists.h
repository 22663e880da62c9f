#pragma once

#include <string>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

// Reads from the block `experiment` which operators are in one taskflow (`kernels`), and whose kernels come last in their
// stream (`postponed`). Each list has names of operators or patterns of them (GMM*). Notes what is wrong.
void read_kernels(const Config& block, Experiment& experiment);

// What is wrong with a key of the block `experiment`.
struct KernelListError {
  std::string key, why;
};

// Replaces what the lists say by the names of operators of the experiment's passes, which must be known. Returns what is
// wrong: entries that no operator fits, an operator in two kernels, one that reads what a later kernel writes.
// `experiment.order.elsewhere` has the operators of other passes. Lists of an experiment without passes stay as they are.
std::vector<KernelListError> name_kernels(Experiment& experiment);

}  // namespace a3sim
