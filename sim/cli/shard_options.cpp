#include "sim/cli/shard_options.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "sim/study/sweep/emit.h"

namespace a3sim {

void ShardOptions::add_to(CLI::App& app) {
  CLI::Option* part = app.add_option(
      "--shard", shard,
      "compute a part of the points only, into a database of its own; without it what Slurm's arrays "
      "and mpirun say in the environment; 0/1 is all");
  part->type_name("I/N");
  app.add_option("--emit", emit, "print a script that runs all shards instead of running")
      ->check(CLI::IsMember({"slurm", "parallel"}))
      ->excludes(part);
  app.add_option("--shards", shards, "of the script; as many as last some minutes without it")
      ->check(CLI::Range(std::uint64_t{1}, kMostShards));
}

void ShardOptions::choose(SweepOptions& options) const {
  if (!shard.empty()) {
    options.shard = parse_shard(shard);
  } else if (const std::optional<JobPlace> place = job_place(environment_variable); place && emit.empty()) {
    options.shard = place->shard;
    spdlog::warn("{}: computes shard {}/{} of the points", place->told_by, options.shard.index,
                 options.shard.count);
  }
  options.database = shard_file(options.database, options.shard);
}

std::string ShardOptions::script(const SweepPlan& plan, const SweepOptions& options,
                                 std::vector<std::string> more) const {
  const SweepEstimate estimate = estimate_sweep(plan, options);
  const EmittedSweep sweep{std::filesystem::read_symlink("/proc/self/exe"),
                           std::filesystem::absolute(plan.spec.file),
                           std::filesystem::absolute(options.database),
                           std::move(more),
                           plan.spec.name,
                           options.jobs,
                           shards};
  return emit == "slurm" ? slurm_script(sweep, estimate) : parallel_script(sweep, estimate);
}

}  // namespace a3sim
