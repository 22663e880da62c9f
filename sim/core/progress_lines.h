#pragma once

#include <string>

namespace a3sim {

// The unit of a Progress (progress.h) that spans many calls of in_parallel(): each of their pieces counts as one of its
// own, so that a long command has one estimate.
inline constexpr const char* kSimulationsInAll = "simulations in all";

// Prints lines above the progress line, on the terminal where progress is shown (progress.h); nothing elsewhere.
void print_above_progress(const std::string& lines);

}  // namespace a3sim
