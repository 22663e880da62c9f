#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/routing/routing.h"

namespace a3sim {

// Returns the counts in a CSV file: a line per source rank, a column per global expert, empty lines are skipped. With a micro-batch, the
// file has one after another. Throws InputError with file, line and column.
RoutingCounts counts_in_file(const std::string& file, const MoeShape& shape,
                             std::optional<std::uint32_t> micro_batch);

}  // namespace a3sim
