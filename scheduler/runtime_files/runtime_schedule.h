#pragma once

#include <span>
#include <string>

#include "scheduler/runtime_files/runtime_config.h"
#include "scheduler/ssc/ssc.h"

// Converts between our schedules and the public runtime's files. The format has no tilings, destinations of
// puts, tokens, experts and operator names. They come from our schedules of the same experiment, with which
// every task of a file is compared.
//
// Where the format leaves a choice, our files have: event 0, of type empty, for tasks that wait for nothing,
// followed by the schedule's events; rows and columns as the two dimensions; base_ptr_offset in bytes;
// data_type by CANN's aclDataType; a put's destination in extra_value_0; zeros elsewhere. They leave out the
// counts that puts read as metadata.
namespace a3sim {

// Converts a schedule. Throws InputError with the reason if the format cannot hold it: too many tasks or
// events, operators without a task type in the runtime, pools of workers, a shared queue, or operands beyond
// 4 GiB.
RuntimeConfig runtime_config_of(const Ssc& ssc);

// A rank's file, and the name that messages use for it.
struct NamedRuntimeConfig {
  std::string name;
  RuntimeConfig config;
};

// Returns the schedules in the files of all ranks: the tasks of `ours` in each file's order and with its
// events. base_ptr_offset may count bytes or elements. Throws InputError with the file's name unless its
// tasks and those of `ours` match one to one.
Schedule schedule_of(std::span<const NamedRuntimeConfig> files, const Schedule& ours);

}  // namespace a3sim
