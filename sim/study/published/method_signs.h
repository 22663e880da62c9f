#pragma once

#include <string>
#include <vector>

#include "sim/study/published/comparison.h"

namespace a3sim {

// In how many of the published latencies of the table's `batches.signs` a method is faster than the reference, or slower,
// as published, and in which it is not: a sentence. Empty: the table has none.
std::string signs_text(const PublishedTable& table, const std::vector<Comparison>& comparisons);

}  // namespace a3sim
