#include "sim/experiment/run/run_estimate.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "models/operators/operator.h"
#include "scheduler/compile/compile.h"

namespace a3sim {
namespace {

// How many partitions of an expert's rows have any.
std::uint64_t partitions_of(std::uint64_t rows, std::uint32_t partitions) {
  if (rows == 0) return 0;
  const std::uint64_t each = (rows + partitions - 1) / partitions;
  return (rows + each - 1) / each;
}

// The tasks of a pass: puts, and all others, which wait for more events.
struct PassTasks {
  std::uint64_t puts = 0, work = 0;
};

// Bytes of the process without tasks, of a put, of another task with its events, and of a task that is written to a file.
// Measured from EP4 to EP64, and with 16 ranks that represent 384 and 768: within 17 % of these.
constexpr double kBytesBefore = 14e6, kBytesForPut = 940, kBytesForWork = 2300, kBytesToKeep = 180;

// Seconds for a task of a group of one rank; they grow with the root of the group, as flows share ports with ever more
// others. Measured from EP8 to EP64 on a core of 2.5 GHz.
constexpr double kSecondsForTask = 3e-6;

std::string duration_text(double seconds) {
  if (seconds < 1) return "a second";
  return seconds < 90 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

std::string count_text(std::uint64_t count) {
  if (count < 1'000'000) return fmt::format("{},000", (count + 999) / 1000);
  return fmt::format("{:.1f} million", 1e-6 * static_cast<double>(count));
}

PassTasks tasks_by_kind(const CutOptions& cut, const RoutingCounts& capacity, std::uint32_t kept) {
  PassTasks tasks;
  const std::uint32_t ranks = kept > 0 ? kept : capacity.ranks();
  const std::uint32_t local = capacity.ranks() == 0 ? 0 : capacity.experts() / capacity.ranks();
  std::vector<std::uint64_t> received(std::size_t{local} * ranks);
  for (std::uint32_t src = 0; src < capacity.ranks(); ++src) {
    for (std::uint32_t e = 0; e < received.size(); ++e) received[e] += capacity.at(src, e);
  }
  for (const std::uint64_t rows : received)
    tasks.work += 4 * partitions_of(rows, cut.partitions) * cut.shares;
  for (std::uint32_t src = 0; src < ranks; ++src) {
    for (const std::uint32_t rows : capacity.source(src)) {
      tasks.puts += 2 * (rows / cut.chunk + (rows > 0));
      tasks.work += rows / cut.task_rows;
    }
  }
  return tasks;
}

// Returns the tasks of a pass without experts, whose operators have tiles however rows are routed.
PassTasks tasks_of_tiles(const Experiment& experiment, const Pass& pass, std::uint32_t kept) {
  const CutOptions cut = cut_of(experiment, pass);
  const Splits splits = propagate_splits(pass.graph, experiment.shape, cut);
  const std::uint32_t ranks = kept > 0 ? kept : experiment.shape.ep;
  PassTasks tasks;
  for (std::size_t op = 0; op < splits.tiles.size(); ++op) {
    const OperatorNode& node = pass.graph.operators()[op];
    const Operator& type = Operators::get(node.type);
    const std::uint32_t shares = type.unit() == CoreUnit::kMatrix ? node.cut.value_or(cut).shares : 1;
    (type.mover() == Mover::kNone ? tasks.work : tasks.puts) +=
        std::uint64_t{splits.tiles[op]} * shares * ranks;
  }
  return tasks;
}

PassTasks tasks_by_kind(const Experiment& experiment, const Pass& pass, const RoutingCounts& capacity,
                        std::uint32_t kept) {
  return experiment.shape.experts() == 0 ? tasks_of_tiles(experiment, pass, kept)
                                         : tasks_by_kind(cut_of(experiment, pass), capacity, kept);
}

}  // namespace

std::uint64_t tasks_of_pass(const Experiment& experiment, const RoutingCounts& capacity, std::uint32_t kept) {
  std::uint64_t most = 0;
  for (const Pass& pass : experiment.passes) {
    const PassTasks tasks = tasks_by_kind(experiment, pass, capacity, kept);
    most = std::max(most, tasks.puts + tasks.work);
  }
  return most;
}

std::string RunEstimate::text() const {
  const std::string memory = bytes < 1e9 ? fmt::format("{:.0f} MB", std::ceil(1e-6 * bytes))
                                         : fmt::format("{:.1f} GB", 1e-9 * bytes);
  return fmt::format("{}: about {} and {}", what, duration_text(seconds), memory);
}

RunEstimate estimate_of(const Experiment& experiment, bool recorded) {
  if (!experiment.work->why_no_schedule_run().empty()) return {};
  const RoutingCounts capacity = capacity_of(experiment, routing_of(experiment));
  const std::uint32_t ranks =
      experiment.representatives > 0 ? experiment.representatives : experiment.shape.ep;
  PassTasks all;
  for (const Pass& pass : experiment.passes) {
    const PassTasks tasks = tasks_by_kind(experiment, pass, capacity, experiment.representatives);
    all.puts += tasks.puts;
    all.work += tasks.work;
  }
  const auto puts = static_cast<double>(all.puts), work = static_cast<double>(all.work);
  const std::uint64_t tasks = all.puts + all.work;
  return {fmt::format("{} rank{} with {} tasks", ranks, ranks == 1 ? "" : "s", count_text(tasks)),
          kSecondsForTask * std::sqrt(static_cast<double>(ranks)) * (puts + work),
          kBytesBefore + kBytesForPut * puts + kBytesForWork * work +
              (recorded ? kBytesToKeep * (puts + work) : 0)};
}

}  // namespace a3sim
