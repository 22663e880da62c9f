#pragma once

#include <filesystem>

#include "traces/rules/advice.h"

namespace a3sim {

// Runs the job in a directory that `a3sim monitor` wrote again with each finding's remedy in place: what it names is
// healed, what the others name stays, as strong as they estimate it. Sets the remedies' gains: what observed steps take
// longer than those. Where another finding of the same steps cannot be put into the simulation, the bound stays.
// Nothing is read of what was injected. Throws as Job::run() does.
void prove(const std::filesystem::path& directory, const Observation& of, Advice& advice, unsigned threads);

}  // namespace a3sim
