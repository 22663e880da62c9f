#pragma once

#include <filesystem>
#include <vector>

#include "bench/score/truth.h"

namespace a3sim {

// The ps of each step of a job if one of its faults had not been there, and everything else had.
using StepsWithout = std::vector<double>;

// Simulates a recorded job again without each of its faults in turn, and writes the times of its steps to
// DIR/without.json. Random draws of noise and of the other faults stay the same, so that the difference is
// the fault's alone. Does nothing if the file is there already. Throws InputError for anything wrong with the
// directory, and what Job::run() throws.
void isolate_faults(const std::filesystem::path& directory, unsigned threads);

// Reads without.json beside truth.json: an entry for each of `truths`, of `steps` steps each. Returns none if
// there is no such file. Throws InputError if it is of another job.
std::vector<StepsWithout> read_isolated(const std::filesystem::path& directory,
                                        const std::vector<Truth>& truths, std::size_t steps);

}  // namespace a3sim
