#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "scheduler/orders/order.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// Reads a file with an order in its block `order`, as those of configs/orders/ are, or an experiment's order.
// Throws InputError with all that is wrong with it, each with file:line:column.
OrderSpec read_order_file(const std::filesystem::path& file);

// Whether a file with an order is a whole experiment. Throws InputError where it cannot be read.
bool is_experiment(const std::filesystem::path& order_file);

// The experiment of a configuration with the block `order` of another file in place of its own, then the
// overrides. Throws InputError with all that is wrong with either.
Experiment load_with_order(const std::filesystem::path& config, const std::filesystem::path& order,
                           std::span<const std::string> overrides);

// What in the order's pools and limits means no operator of any pass, or none of a pass that has operators
// like those that it means elsewhere: a sentence each, for whoever wrote it.
std::vector<std::string> unused_entries(const Experiment& experiment);

// Whether all operators that the order's keys and workers name are ones that the experiment's order may name. An order
// of another graph names others, and is refused when the experiment is compiled.
bool names_known_operators(const Experiment& experiment, OrderSpec order);

// The same experiment under another order, which may name what its configuration's may.
Experiment with_order(Experiment experiment, OrderSpec order);

}  // namespace a3sim
