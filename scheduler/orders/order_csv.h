#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/orders/order.h"

namespace a3sim {

// Returns all queues of all ranks as CSV, which read_order_csv() reads: one line per task, in queue order,
// with the fields of its descriptor. Fields that a task does not have are empty. Operands are written as
// `tensor[first row:end row)@rank`, with ` share s/S` for a share of blocks; `;` separates several.
std::string export_order(const Schedule& schedule);

// Reads the explicit order of the tasks of one unit: one task per line, with the columns `rank, queue, op,
// index` at any position. Ignores other columns and blank lines. Throws InputError with name:line.
std::vector<OrderSpec::Explicit> read_order_csv(std::string_view text, const std::string& name,
                                                CoreUnit unit);

}  // namespace a3sim
