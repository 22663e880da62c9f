#pragma once

#include <cstddef>
#include <string>

#include "scheduler/compile/compile.h"

// These functions return schedules as text, for `a3sim schedule show`. Every text ends with a newline. All
// throw InputError for ranks, tasks and events that do not exist.
namespace a3sim {

// Returns the operators with their tensors. With `splits` of the compiled graph, adds tiles and partitions.
std::string show_graph(const Ssc& ssc, const Splits* splits = nullptr);
// Returns the same as a Graphviz digraph, with operators as nodes and tensors as edges.
std::string show_dot(const Ssc& ssc, const Splits* splits = nullptr);

// Returns the first `count` tasks of a queue (such as ctq), one per line.
std::string show_queue(const Schedule& schedule, RankId rank, const std::string& queue, std::size_t count);

// Returns one task: every field of its descriptor, its regions with their bytes, and its predecessors.
std::string show_task(const Schedule& schedule, RankId rank, TaskId task);

// Returns one event with its producers and consumers on all ranks.
std::string show_event(const Schedule& schedule, RankId rank, EventId event);

// Returns the number of tasks by operator, events, bytes per task, and the waiting that shared events add.
std::string show_totals(const Schedule& schedule);

// Computes the waiting that shared events add to the exact dependencies of these schedules.
SharingReport sharing_report(const Schedule& schedule);

}  // namespace a3sim
