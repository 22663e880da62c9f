#pragma once

#include <filesystem>

#include "sim/diagnosis/rules/advice.h"

namespace a3sim {

// Runs a recorded job again with all faults that were found, as strong as the findings estimate them, and
// once more for each remedy, with its change. The difference is the gain of the remedy. A remedy without a
// change is not provable, nor is one for steps in which a finding cannot be simulated. Never reads
// truth.json. Throws what Job::run() throws.
void prove(const std::filesystem::path& directory, const Observation& observation, Advice& advice,
           unsigned threads);

}  // namespace a3sim
