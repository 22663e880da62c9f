#pragma once

#include <string>
#include <string_view>

#include "traces/trace.h"

namespace a3sim {

// Reads the tasks of a run from the CSV that it wrote, into a trace whose machine, operators and number of
// ranks stand already. Columns are found by their names; those that are not needed may be missing.
// Throws InputError with name:line for a missing column, a cell that is no number or above its limit, an
// operator that the trace does not have, tasks that are not numbered on, and a task whose times do not add
// up.
void read_tasks(std::string_view csv, const std::string& name, Trace& trace);

}  // namespace a3sim
