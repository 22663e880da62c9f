#pragma once

#include "sim/core/config/config.h"

namespace a3sim {

// Blocks that only jobs of many steps have, not single runs.
inline constexpr const char* kJobBlocks[] = {"hosts", "noise", "faults"};

// Notes such blocks as errors. The message names the command that takes them.
inline void refuse_job_blocks(const Config& root) {
  for (const char* block : kJobBlocks) {
    if (!root.has(block)) continue;
    root.let_stand(block);
    root.error(block, "belongs to the steps of a job: run this with 'a3sim run --steps', or leave it out");
  }
}

}  // namespace a3sim
