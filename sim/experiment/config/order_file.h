#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "scheduler/orders/order.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// Reads a file with an order in its block `order`: one like those of configs/orders/, or an experiment.
// Throws InputError with everything that is wrong with the order, each with file:line:column.
OrderSpec read_order_file(const std::filesystem::path& file);

// Returns the order's key `description`: what it is, in a line; empty if it has none.
std::string description_of_order(const std::filesystem::path& file);

// Returns whether a file with an order is a whole experiment. Throws InputError if it cannot be read.
bool is_experiment(const std::filesystem::path& order_file);

// Returns the experiment of a configuration, with its block `order` replaced by that of another file, and
// then the overrides applied. Throws InputError with everything that is wrong with either.
Experiment load_with_order(const std::filesystem::path& config, const std::filesystem::path& order,
                           std::span<const std::string> overrides);

// Returns a sentence for each entry of the order's pools and limits that selects no operator of any pass, or
// none of a pass that has operators like those that it selects elsewhere.
std::vector<std::string> unused_entries(const Experiment& experiment);

// Returns whether the experiment's order may name all operators that the order's keys and workers name. An
// order made for another graph names others, and is refused when the experiment is compiled.
bool names_known_operators(const Experiment& experiment, OrderSpec order);

// Returns the experiment with another order, which may name the same operators as its own.
Experiment with_order(Experiment experiment, OrderSpec order);

}  // namespace a3sim
