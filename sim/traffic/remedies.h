#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/statistics.h"
#include "sim/traffic/traffic_runs.h"

namespace a3sim {

// The steps of a record on which something is decided (`from` to `until`), and some of those after it, on which it is paid.
struct RecordPart {
  std::size_t from = 0, until = 0;
  std::vector<std::size_t> paid;
};

// A placement of experts that traffic until then asks for.
struct ExpertPlacement {
  std::string name;
  std::uint32_t redundant = 0;  // copies of experts in addition to one of each, on all ranks together
  std::uint32_t again = 0;      // it is made anew after so many steps, from that many before; 0: once
  // Returns the expert in each slot, by rows of experts.
  std::function<std::vector<std::uint32_t>(const std::vector<double>& loads, std::uint32_t ranks)> place;
};
// Returns the placements that are tried: equal numbers of experts (LPT), and with copies (EPLB), once and anew.
std::vector<ExpertPlacement> placements_for(std::uint32_t redundant_per_rank);

// The cost of a move of experts.
struct MoveCost {
  std::uint64_t bytes = 0;  // of all ranks
  Duration time{};          // if nothing else runs meanwhile: the most that it costs
};
MoveCost move_cost(const Experiment& experiment, const std::vector<ExpertCopy>& copies);

// Runs of a remedy, and of the same steps without it.
struct RemedyRuns {
  std::string name, on;                    // on: the path
  std::vector<std::size_t> with, without;  // numbers of runs, by step
  std::vector<double> busiest;             // busiest rank over mean with it, by step
  MoveCost move;
  double again = 0;  // moved anew after so many steps; 0: once
};

// Adds the runs of a placement that is decided on a part of the record and paid on the steps after it.
RemedyRuns add_placement(const ExpertPlacement& placement, const TrafficPath& path,
                         const std::vector<RoutingCounts>& steps, const RecordPart& part,
                         const std::vector<std::size_t>& without, TrafficRuns& runs);

// Returns the steps before one, at most as many as histories need.
std::vector<RoutingCounts> steps_before(const std::vector<RoutingCounts>& steps, std::size_t step);

}  // namespace a3sim
