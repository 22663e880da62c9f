#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/study/sweep/sweep.h"

namespace a3sim {

// The sweep that an emitted script starts.
struct EmittedSweep {
  std::filesystem::path program, file, database;
  std::vector<std::string> more;  // further arguments, as the user gave them
  std::string name;
  unsigned jobs = 1;         // processes per shard
  std::uint64_t shards = 0;  // 0: as many as make a job last some minutes
};

// Returns a number of shards that take about five minutes each, at most Slurm's default limit of an array.
std::uint64_t shards_for(const SweepEstimate& estimate, unsigned jobs);

// Returns a batch script for `sbatch`: an array of jobs, one per shard.
std::string slurm_script(const EmittedSweep& sweep, const SweepEstimate& estimate);

// Returns a shell script: GNU parallel runs one shard at a time per core, continues after a stop, and
// merges.
std::string parallel_script(const EmittedSweep& sweep, const SweepEstimate& estimate);

// Returns `text` quoted as one word of a shell.
std::string shell_word(const std::string& text);

}  // namespace a3sim
