#pragma once

#include <filesystem>
#include <vector>

#include "scheduler/order.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// Reads a file with an order in its block `order`, as those of configs/orders/ are.
// Throws InputError with all that is wrong with it, each with file:line:column.
OrderSpec read_order_file(const std::filesystem::path& file);

// The files of configs/orders/, in order of their names.
std::vector<std::filesystem::path> shipped_order_files();

// The same experiment under another order, which may name what its configuration's may.
Experiment with_order(Experiment experiment, OrderSpec order);

}  // namespace a3sim
