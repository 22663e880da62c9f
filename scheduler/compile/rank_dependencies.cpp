#include "scheduler/compile/rank_dependencies.h"

#include <utility>

namespace a3sim {

RankDependencies::RankDependencies(const TaskflowView& taskflow)
    : taskflow_(taskflow),
      sweep_(taskflow),
      reduction_(taskflow.operators),
      arrivals_(taskflow.ranks.size()) {
  for (std::uint32_t r = 0; r < taskflow.ranks.size() && complete_; ++r) deal(r);
}

// Finds what a rank's tasks access in other ranks' memory.
void RankDependencies::deal(std::uint32_t r) {
  const TaskflowView::Rank& rank = taskflow_.ranks[r];
  std::uint32_t puts = first_put_.back();
  for (const TaskDescriptor& td : rank.tasks) {
    for (const Region& in : rank.inputs(td)) {
      if (in.rank != r && sweep_.counts(in)) complete_ = false;
    }
    const std::span<const Region> outputs = rank.outputs(td);
    if (outputs.empty()) continue;
    const std::uint32_t to = outputs.front().rank;
    for (const Region& out : outputs.subspan(1)) {
      if (out.rank != to || to != r) complete_ = false;
    }
    if (to == r) continue;
    const Region& out = outputs.front();
    if (out.shares > 1) complete_ = false;
    if (sweep_.counts(out) && !out.rows().empty())
      arrivals_[to].push_back({out.rows(), puts, out.tensor, td.op});
    ++puts;
  }
  if (r == 0) {  // about as many reach each rank
    for (std::vector<Arrival>& arrivals : arrivals_) arrivals.reserve(puts);
  }
  first_put_.push_back(puts);
}

Dependencies RankDependencies::find(std::uint32_t rank) {
  sweep_.begin(rank, 1);
  sweep_.add(rank);
  for (const Arrival& put : arrivals_[rank])
    sweep_.add_writer({kNone, put.op, put.number, 1}, put.tensor, put.rows);
  std::vector<Dependency> edges = sweep_.take_edges();
  Dependencies result(sweep_.take_groups(), std::move(edges));
  reduction_.apply(result);
  return result;
}

}  // namespace a3sim
