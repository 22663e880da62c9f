#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/orders/order.h"

namespace a3sim {

// All queues of all ranks as CSV: a line a task, in queue order, with the fields of its descriptor. Empty
// where a task has no such thing. Operands read `tensor[first row:end row)@rank`, with ` share s/S` for a
// share of blocks; several are separated by `;`. read_order_csv() takes the file back.
std::string export_order(const Schedule& schedule);

// The explicit order of the tasks of one unit. The columns `rank, queue, op, index` are needed, wherever they stand;
// others are ignored (the order is that of the lines, so a line is moved by moving it). Blank lines are
// skipped. Throws InputError with name:line.
std::vector<OrderSpec::Explicit> read_order_csv(std::string_view text, const std::string& name,
                                                CoreUnit unit);

}  // namespace a3sim
