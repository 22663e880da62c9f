#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/diagnosis/rules/steady_state.h"
#include "traces/profiled_time.h"

// Means over the usual steps of a profile from hardware.
namespace a3sim {

// The parts of a rank's step, in ps.
struct MeanTimes {
  double length = 0, computing = 0, transferring = 0, waiting = 0, still = 0, undecided = 0, free = 0,
         hidden = 0;
  std::uint32_t steps = 0;
  double exposed() const { return transferring + waiting + still + undecided; }
};

// An exchange of a rank: means of a step, in ps and bytes.
struct MeanExchange {
  const ExchangeTime* one = nullptr;  // of the step in which it took longest
  double exposed = 0, elapsed = 0, transfer = 0, waited = 0, bytes = 0;
  bool split = true;
};

struct ProfileMeans {
  std::map<std::uint32_t, MeanTimes> ranks;
  std::map<std::uint32_t, std::vector<MeanExchange>> exchanges;  // by rank
  // Ranks of each pipeline, stage by stage; only those that were profiled, two or more.
  std::vector<std::vector<std::uint32_t>> pipelines;

  // Returns whether the exchanges of a group are those between the stages of a pipeline.
  bool is_between_stages(const ProfiledGroup& group) const {
    return group.kind == GroupKind::kPipeline && !pipelines.empty();
  }
};

// `steps`: the profile's numbers of the steps to count; empty: all.
ProfileMeans profile_means(const ProfiledTime& time, const std::vector<std::uint64_t>& steps);
ProfileMeans profile_means(const SteadyState& job);

// Returns the steps in which a rank was profiled, at least one.
double steps_of(const ProfiledTime& time, std::uint32_t rank);

// Returns whether the profile is of a few calls of a few operators with pauses between them. Then time between calls is no
// loss, and what an operator loses is told as a part of the kernels' time.
bool is_benchmark(const ProfiledTime& time);
// Returns the time of a step of which losses of kernels are told as parts: a step, or the kernels' own time where gaps
// between them are not known or mean nothing, in ps.
double base_of_kernels(const SteadyState& job);

// Returns how a place in a table of a rank is called.
RecordPlace place_in_table(const ProfiledTime& time, std::uint32_t rank, std::size_t line);

}  // namespace a3sim
