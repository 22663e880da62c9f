#pragma once

#include <string>
#include <vector>

#include "sim/published/comparison.h"

namespace a3sim {

// Returns a sentence: in how many of the published latencies of the table's signs a case is faster
// or slower than the reference, as published, and in which it is not. Empty if the table has none.
std::string signs_text(const PublishedTable& table, const std::vector<Comparison>& comparisons);

}  // namespace a3sim
