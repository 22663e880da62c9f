#pragma once

#include <cstdint>
#include <vector>

#include "sim/runtime/streams/stream_run.h"

namespace a3sim {

// A stretch of time that a task's end waited for.
struct StreamStretch {
  enum class What : std::uint8_t {
    kWait,  // the task's wait, before it asks for its workers: a launch, a submission, a signal's way
    kWork   // it has its workers
  };
  std::uint32_t task = 0;
  What what = What::kWork;
  Time from, to;
};

// What made `last` end when it did, from the start of the program on, without gaps: before a task's work stands its
// wait, and before that the task that ended last of those that it waited for; or, where it had to wait for workers,
// before its work that task whose end freed them. Of two that end at one date, the earlier added.
std::vector<StreamStretch> critical_path(const StreamProgram& program, const StreamResult& result,
                                         std::uint32_t last);

}  // namespace a3sim
