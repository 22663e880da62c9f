#pragma once

#include <span>
#include <string>

#include "scheduler/runtime_files/runtime_config.h"
#include "scheduler/ssc/ssc.h"

// Between schedules of ours and the public runtime's files. The layout says nothing of tilings, of a put's
// destination, of tokens, experts and operators' names: these come from schedules of ours for the same experiment,
// against which every task of a file is held.
//
// Where the layout leaves room, files of ours have: event 0, of type empty, for tasks that wait for nothing; a
// schedule's events behind it; rows and columns as the two dimensions; base_ptr_offset in bytes; data_type by CANN's
// aclDataType; a put's destination in extra_value_0; zeros elsewhere. The counts that puts read as metadata are left
// out.
namespace a3sim {

// Throws InputError with the reason for what the layout cannot carry: too many tasks or events, operators that the
// runtime has no task type for, pools of workers, a shared queue, operands beyond 4 GiB.
RuntimeConfig runtime_config_of(const Ssc& ssc);

// A rank's file, by the name that messages give it.
struct NamedRuntimeConfig {
  std::string name;
  RuntimeConfig config;
};

// The schedules in the files of all ranks: the tasks of `ours`, in each file's order and with its events.
// base_ptr_offset may count bytes or elements. Throws InputError, naming the file, unless each of its tasks does
// what one of `ours` does and the other way round.
Schedule schedule_of(std::span<const NamedRuntimeConfig> files, const Schedule& ours);

}  // namespace a3sim
