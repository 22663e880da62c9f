#pragma once

#include "sim/core/config/config.h"

namespace a3sim {

// What the steps of a job have and a single run has not.
inline constexpr const char* kJobBlocks[] = {"hosts", "noise", "faults"};

// Notes such blocks as errors that name the command which takes them.
inline void refuse_job_blocks(const Config& root) {
  for (const char* block : kJobBlocks) {
    if (!root.has(block)) continue;
    root.let_stand(block);
    root.error(block, "belongs to the steps of a job: run this with 'a3sim run --steps', or leave it out");
  }
}

}  // namespace a3sim
