#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/study/sweep/sweep.h"

namespace a3sim {

// A sweep on many machines: which part of it this run is, or a script that starts all of them.
struct ShardOptions {
  std::string shard, emit;
  std::uint64_t shards = 0;

  void add_to(CLI::App& app);
  // Makes the run that of a shard, with its own database: the one that is named, or else the one that a job's
  // environment says, which is told on stderr.
  void choose(SweepOptions& options) const;
  // The script that `--emit` asks for; `more` are the sweep's further arguments.
  std::string script(const SweepPlan& plan, const SweepOptions& options, std::vector<std::string> more) const;
};

}  // namespace a3sim
