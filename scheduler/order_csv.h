#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/order.h"

namespace a3sim {

// All queues of all ranks as CSV: a line a task, in queue order, with the fields of its descriptor. Empty
// where a task has no such thing. Operands read `tensor[first row:end row)@rank`, with ` share s/S` for a
// share of blocks; several are separated by `;`. read_order_csv() takes the file back.
std::string export_order(const Schedule& schedule);

// The explicit order of one queue. The columns `rank, queue, op, index` are needed, wherever they stand;
// others are ignored (the order is that of the lines, so a line is moved by moving it). Blank lines are
// skipped. Throws InputError with name:line.
std::vector<OrderSpec::Explicit> read_order_csv(std::string_view text, const std::string& name,
                                                QueueType queue);

// A rank's queue as the order's list has it: positions in `tasks`. Throws InputError, with the list's file
// and line, unless the list names each of the rank's tasks of that queue once; lines of operators that are
// `elsewhere` are passed over.
std::vector<std::uint32_t> listed_queue(const OrderSpec& order, QueueType queue, RankId rank,
                                        std::span<const TaskDescriptor> tasks,
                                        std::span<const OperatorInfo> operators);

}  // namespace a3sim
