#pragma once

#include <vector>

#include "scheduler/verify.h"

// The checks that verify() is made of. Each adds its errors, or a note that says what held.
namespace a3sim {

// The schedules are those of ranks 0 to n - 1 of one group: same shape, graph, order, operators, tensors.
void check_group(const Schedule& schedule, Findings& findings);

// Operators are of known types and have operands that these can work on; tasks are of their operators' types.
void check_types(const Schedule& schedule, Findings& findings);

// Regions lie inside their tensors, triggers inside the event tables, on whatever rank.
void check_regions(const Schedule& schedule, Findings& findings);

// Thresholds equal the triggers that events receive over all ranks.
void check_thresholds(const Schedule& schedule, Findings& findings);

// Tasks touch the tensors of their operators; puts alone write other ranks' memory, each that of its
// destination, where it counts into an event too.
void check_operands(const Schedule& schedule, Findings& findings);

// Every tensor that is not given from outside is written in full, each byte by one task.
void check_writes(const Schedule& schedule, Findings& findings);

// Tasks read the rows that those which they write follow from.
void check_reads(const Schedule& schedule, Findings& findings);

// Every task that reads what another one writes waits for it: directly, or through what it waits for.
void check_waits(const Schedule& schedule, Findings& findings);

// Puts between sent and received rows move every row once, to its place.
void check_rows(const Schedule& schedule, Findings& findings);

// Puts between plain tensors of which each rank has a block move every row to its place.
void check_blocks(const Schedule& schedule, Findings& findings);

// By operator: whether tasks of it put rows into other ranks' memory.
std::vector<bool> operators_with_puts(const Schedule& schedule);

}  // namespace a3sim
