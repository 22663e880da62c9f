#pragma once

#include <cstddef>
#include <string>

#include "scheduler/compile/compile.h"

// Schedules as text, for `a3sim show`. All texts end with a newline. Ranks, tasks and events that do not
// exist are refused with InputError.
namespace a3sim {

// Operators with their tensors; with `splits` (of the graph that was compiled) also tiles and partitions.
std::string show_graph(const Ssc& ssc, const Splits* splits = nullptr);
// The same as a Graphviz digraph: operators are nodes, tensors stand on the edges.
std::string show_dot(const Ssc& ssc, const Splits* splits = nullptr);

// The first `count` tasks of a queue (ctq), a line each.
std::string show_queue(const Schedule& schedule, RankId rank, const std::string& queue, std::size_t count);

// One task: every field of its descriptor, its regions with their bytes, the tasks that it waits for.
std::string show_task(const Schedule& schedule, RankId rank, TaskId task);

// One event with its producers and consumers, over all ranks.
std::string show_event(const Schedule& schedule, RankId rank, EventId event);

// Tasks by operator, events, bytes a task, and what sharing events costs in waiting.
std::string show_totals(const Schedule& schedule);

// How much waiting the events add over the exact dependencies, read from the schedules.
SharingReport sharing_report(const Schedule& schedule);

}  // namespace a3sim
