#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "scheduler/orders/order.h"

namespace a3sim {

// Whether a configuration computes under an order what it should.
struct OrderResults {
  std::string text;  // what was checked, or why nothing could be
  std::vector<std::string> errors;
};

// Runs it with real tensors, at a small shape of the same structure, and compares with a plain reference. An order that
// lists the tasks of one shape, and an experiment that has no small shape, are not checked.
OrderResults check_results(const std::filesystem::path& config, std::span<const std::string> overrides,
                           const OrderSpec& order);

}  // namespace a3sim
