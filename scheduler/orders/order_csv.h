#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/orders/order.h"

namespace a3sim {

// Returns all queues of all ranks as CSV: a line per task, in queue order, with the fields of its descriptor.
// Fields that a task does not have are empty. Operands read `tensor[first row:end row)@rank`, with ` share
// s/S` for a share of blocks; `;` separates several. read_order_csv() reads the file.
std::string export_order(const Schedule& schedule);

// Reads the explicit order of the tasks of one unit from lines with the columns `rank, queue, op, index`, in
// any place; other columns are ignored. The order is that of the lines. Skips blank lines. Throws InputError
// with name:line.
std::vector<OrderSpec::Explicit> read_order_csv(std::string_view text, const std::string& name,
                                                CoreUnit unit);

}  // namespace a3sim
