#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/study/sweep/sweep.h"

namespace a3sim {

// What a script has to start.
struct EmittedSweep {
  std::filesystem::path program, file, database;
  std::vector<std::string> more;  // further arguments, as the user gave them
  std::string name;
  unsigned jobs = 1;         // processes of a shard
  std::uint64_t shards = 0;  // 0: as many as make a job last some minutes
};

// So many shards that each takes about five minutes, and not more than Slurm lets an array have by default.
std::uint64_t shards_for(const SweepEstimate& estimate, unsigned jobs);

// A batch script: an array of jobs, a shard each. `sbatch` takes it.
std::string slurm_script(const EmittedSweep& sweep, const SweepEstimate& estimate);

// A shell script: GNU parallel runs a shard at a time on each core, goes on where it was stopped, and merges.
std::string parallel_script(const EmittedSweep& sweep, const SweepEstimate& estimate);

// `text` as one word of a shell.
std::string shell_word(const std::string& text);

}  // namespace a3sim
