#include "sim/study/sweep/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace a3sim {
namespace {

constexpr double kJobSeconds = 300;  // shorter jobs cost a scheduler more than they compute
constexpr double kSlack = 4;         // a node may be slower than this machine, and points uneven
constexpr double kMemorySlack = 2, kLeastMemory = 512;  // MiB; likewise
constexpr std::uint64_t kMostJobs = 1000;               // Slurm's default MaxArraySize is 1001

double seconds_of_all(const SweepEstimate& estimate, unsigned jobs) {
  return estimate.seconds * std::min<double>(jobs, static_cast<double>(estimate.points - estimate.known));
}

std::uint64_t shards_of(const EmittedSweep& sweep, const SweepEstimate& estimate) {
  return sweep.shards > 0 ? sweep.shards : shards_for(estimate, sweep.jobs);
}

std::string measured(const SweepEstimate& estimate, unsigned jobs) {
  return fmt::format(
      "# {} points to compute, about {:.0f} s of one core (after {} points on this machine).\n",
      estimate.points - estimate.known, seconds_of_all(estimate, jobs), estimate.measured);
}

std::string command(const EmittedSweep& sweep) {
  std::string text = fmt::format("{} sweep {} --db {}", shell_word(sweep.program.string()),
                                 shell_word(sweep.file.string()), shell_word(sweep.database.string()));
  for (const std::string& argument : sweep.more) text += ' ' + shell_word(argument);
  return text;
}

// Merges all files that shard_file() may name.
std::string merge_command(const EmittedSweep& sweep) {
  const std::filesystem::path& database = sweep.database;
  return fmt::format("{} sweep --db {} --merge {}*{}", shell_word(sweep.program.string()),
                     shell_word(database.string()),
                     shell_word((database.parent_path() / database.stem()).string() + ".shard-"),
                     shell_word(database.extension().string()));
}

}  // namespace

std::uint64_t shards_for(const SweepEstimate& estimate, unsigned jobs) {
  const double wanted = std::ceil(seconds_of_all(estimate, jobs) / (kJobSeconds * jobs));
  const double most =
      static_cast<double>(std::min<std::uint64_t>(kMostJobs, estimate.points - estimate.known));
  return static_cast<std::uint64_t>(std::max(1.0, std::min(wanted, most)));
}

std::string slurm_script(const EmittedSweep& sweep, const SweepEstimate& estimate) {
  const std::uint64_t shards = shards_of(sweep, estimate);
  const double each = seconds_of_all(estimate, sweep.jobs) / static_cast<double>(shards) / sweep.jobs;
  const auto minutes = static_cast<std::uint64_t>(std::ceil(kSlack * each / 60)) + 1;
  const double memory =
      std::max(kLeastMemory, kMemorySlack * static_cast<double>(estimate.memory) / (1 << 20));
  std::string text = "#!/bin/bash\n" + measured(estimate, sweep.jobs);
  text += fmt::format("#SBATCH --job-name=a3sim-{}\n#SBATCH --array=0-{}\n#SBATCH --ntasks=1\n", sweep.name,
                      shards - 1);
  text += fmt::format("#SBATCH --cpus-per-task={}\n#SBATCH --time={}\n#SBATCH --mem={:.0f}M\n", sweep.jobs,
                      minutes, std::ceil(memory));
  text +=
      "# Each task takes its shard from SLURM_ARRAY_TASK_ID. A task that was stopped goes on when it is "
      "run\n";
  text += "# again.";
  text += shards > 1 ? " When all have ended:\n#   " + merge_command(sweep) + '\n' : "\n";
  return text + fmt::format("exec {} --jobs {}\n", command(sweep), sweep.jobs);
}

std::string parallel_script(const EmittedSweep& sweep, const SweepEstimate& estimate) {
  const std::uint64_t shards =
      std::max<std::uint64_t>(shards_of(sweep, estimate),
                              sweep.shards > 0 ? 1 : std::min<std::uint64_t>(sweep.jobs, estimate.points));
  std::string text = "#!/bin/sh\n" + measured(estimate, sweep.jobs);
  text += fmt::format("seq 0 {} | parallel --jobs {} --joblog {} --resume-failed {}\nstatus=$?\n", shards - 1,
                      sweep.jobs, shell_word(sweep.database.string() + ".joblog"),
                      shell_word(command(sweep) + fmt::format(" --jobs 1 --shard {{}}/{}", shards)));
  if (shards > 1) text += merge_command(sweep) + " && ";  // one alone is the database
  return text + "exit \"$status\"\n";
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + '\'';
}

}  // namespace a3sim
