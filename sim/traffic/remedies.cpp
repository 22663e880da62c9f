#include "sim/traffic/remedies.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "models/balance/expert_places.h"
#include "sim/experiment/streams/micro_batches.h"
#include "sim/runtime/rank_options.h"
#include "sim/runtime/streams/stream_run.h"
#include "sim/traffic/unevenness.h"

namespace a3sim {
namespace {

std::vector<std::uint32_t> in_order(std::uint32_t experts) {
  std::vector<std::uint32_t> expert_at(experts);
  std::iota(expert_at.begin(), expert_at.end(), 0U);
  return expert_at;
}

std::vector<std::uint32_t> placed_by(const ExpertPlacement& placement,
                                     const std::vector<RoutingCounts>& steps, std::size_t from,
                                     std::size_t until) {
  return placement.place(rows_of_steps(std::span(steps).subspan(from, until - from)), steps.front().ranks());
}

// Returns the rate at which a die sends to another one when it copies weights.
BytesPerSecond copy_rate(const Hardware& hardware) {
  if (hardware.copy_engine) return hardware.copy_engine->rate;
  BytesPerSecond rate = hardware.fabric.planes.front().egress;
  for (const Hardware::Fabric::Plane& plane : hardware.fabric.planes)
    rate.count = std::min(rate.count, plane.egress.count);
  return rate;
}

}  // namespace

std::vector<ExpertPlacement> placements_for(std::uint32_t redundant_per_rank) {
  constexpr std::uint32_t kAgain = 8;
  const auto lpt = [](const std::vector<double>& loads, std::uint32_t ranks) {
    return lpt_places(loads, static_cast<std::uint32_t>(loads.size()) / ranks);
  };
  const auto eplb = [redundant_per_rank](const std::vector<double>& loads, std::uint32_t ranks) {
    return eplb_slots(loads, {ranks, static_cast<std::uint32_t>(loads.size()) + redundant_per_rank * ranks});
  };
  std::vector<ExpertPlacement> placements{{"placed by load (LPT), once", 0, 0, lpt}};
  if (redundant_per_rank == 0) return placements;
  placements.push_back({"redundant experts (EPLB), once", redundant_per_rank, 0, eplb});
  placements.push_back({fmt::format("redundant experts (EPLB), anew every {} steps", kAgain),
                        redundant_per_rank, kAgain, eplb});
  return placements;
}

MoveCost move_cost(const Experiment& experiment, const std::vector<ExpertCopy>& copies) {
  MoveCost cost;
  if (copies.empty()) return cost;
  const MoeShape& s = experiment.shape;
  const auto weights =
      static_cast<std::int64_t>(bytes_of(s.dtype, std::uint64_t{3} * s.hidden * s.intermediate));
  const Hardware hardware = sustained(experiment.hardware);
  StreamProgram program{
      s.ep, {{"copy engine", hardware.copy_engine ? hardware.copy_engine->count : 1}}, {}, {"COPIES"}};
  for (const ExpertCopy& copy : copies) {
    cost.bytes += static_cast<std::uint64_t>(weights);
    StreamTask task{.name = "weights", .rank = RankId{copy.from}, .units = 1};
    if (hardware.copy_engine) task.hold = hardware.copy_engine->startup;
    task.transfers = {{RankId{copy.to}, Bytes{weights}, copy_rate(hardware)}};
    program.add(std::move(task));
  }
  cost.time =
      run_streams(program, hardware, dies_of(experiment.run.ranks), backend_in_threads(experiment)).makespan;
  return cost;
}

std::vector<RoutingCounts> steps_before(const std::vector<RoutingCounts>& steps, std::size_t step) {
  const std::size_t first = step > kBatchesBefore ? step - kBatchesBefore : 0;
  return {steps.begin() + static_cast<std::ptrdiff_t>(first),
          steps.begin() + static_cast<std::ptrdiff_t>(step)};
}

RemedyRuns add_placement(const ExpertPlacement& placement, const TrafficPath& path,
                         const std::vector<RoutingCounts>& steps, const RecordPart& part,
                         const std::vector<std::size_t>& without, TrafficRuns& runs) {
  const std::uint32_t ranks = steps.front().ranks();
  RemedyRuns remedy{
      .name = placement.name, .on = path.name, .with = {}, .without = without, .busiest = {}, .move = {}};
  std::vector<std::uint32_t> expert_at = placed_by(placement, steps, part.from, part.until);
  std::vector<ExpertCopy> copies = copies_between(in_order(steps.front().experts()), expert_at, ranks);
  std::vector<std::vector<ExpertCopy>> moves;
  for (const std::size_t step : part.paid) {
    if (placement.again > 0) {
      const std::size_t last = step - step % placement.again;  // steps at which it is made anew
      const auto made_at = [&](std::size_t at) {
        return placed_by(placement, steps, at > placement.again ? at - placement.again : 0, at);
      };
      if (last >= placement.again + part.from) {
        expert_at = made_at(last);
        if (last >= 2 * placement.again)
          moves.push_back(copies_between(made_at(last - placement.again), expert_at, ranks));
      }
    }
    const auto changed = [&](const RoutingCounts& counts) { return by_slot(counts, expert_at); };
    std::vector<RoutingCounts> before;
    if (path.micro_batches)
      for (const RoutingCounts& counts : steps_before(steps, step)) before.push_back(changed(counts));
    RoutingCounts counts = changed(steps[step]);
    remedy.busiest.push_back(busiest_over_mean(rows_by_rank(counts)));
    remedy.with.push_back(runs.add(path, std::move(counts), std::move(before)));
  }
  // Of those made anew, the middle one by its copies stands for all.
  if (!moves.empty()) {
    std::ranges::sort(moves, {}, [](const auto& move) { return move.size(); });
    copies = moves[moves.size() / 2];
  }
  if (path.experiment) remedy.move = move_cost(*path.experiment, copies);
  remedy.again = placement.again;
  return remedy;
}

}  // namespace a3sim
