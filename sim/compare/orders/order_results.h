#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "scheduler/orders/order.h"

namespace a3sim {

// Tells if a configuration computes the right results under an order.
struct OrderResults {
  std::string text;  // what was checked, or why nothing was
  std::vector<std::string> errors;
};

// Runs the configuration with real tensors at a small shape of the same structure, and compares with a
// plain reference. Orders that list the tasks of one shape, and experiments that have no small shape, are
// not checked.
OrderResults check_results(const std::filesystem::path& config, std::span<const std::string> overrides,
                           const OrderSpec& order);

}  // namespace a3sim
