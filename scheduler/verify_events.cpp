#include <fmt/format.h>

#include <algorithm>

#include "scheduler/taskflow_view.h"
#include "scheduler/verify_parts.h"

namespace a3sim {
namespace {

bool same_tables(const Ssc& a, const Ssc& b) {
  const auto same_operator = [](const OperatorInfo& x, const OperatorInfo& y) {
    return x.name == y.name && x.type == y.type && x.inputs == y.inputs && x.outputs == y.outputs;
  };
  const auto same_tensor = [](const TensorInfo& x, const TensorInfo& y) {
    return x.name == y.name && x.layout == y.layout && x.cols == y.cols && x.dtype == y.dtype;
  };
  return std::ranges::equal(a.operators(), b.operators(), same_operator) &&
         std::ranges::equal(a.tensors(), b.tensors(), same_tensor);
}

}  // namespace

void check_group(const Schedule& schedule, Findings& findings) {
  const Ssc& first = schedule.front();
  if (first.shape().ep != schedule.size()) {
    findings.errors.push_back(
        fmt::format("the schedules are for {} ranks; there are {}", first.shape().ep, schedule.size()));
  }
  for (std::uint32_t r = 0; r < schedule.size(); ++r) {
    const Ssc& ssc = schedule[r];
    if (index(ssc.rank()) != r) {
      findings.errors.push_back(
          fmt::format("the schedule at place {} is that of rank {}", r, index(ssc.rank())));
    }
    if (ssc.shape() != first.shape() || ssc.graph() != first.graph() || !same_tables(ssc, first)) {
      findings.errors.push_back(fmt::format("rank {} has another shape or graph than rank 0", r));
    }
  }
}

void check_regions(const Schedule& schedule, Findings& findings) {
  std::uint64_t regions = 0;
  const TaskflowView view(schedule);
  const std::size_t tensors = view.ranks.front().tensors.size();  // of every rank
  std::vector<std::uint32_t> rows;                                // by rank and tensor
  for (const TaskflowView::Rank& rank : view.ranks) {
    for (const TensorInfo& tensor : rank.tensors) rows.push_back(tensor.rows);
  }
  for (std::uint32_t r = 0; r < view.ranks.size(); ++r) {
    const TaskflowView::Rank& rank = view.ranks[r];
    for (std::uint32_t t = 0; t < rank.tasks.size(); ++t) {
      const TaskDescriptor& td = rank.tasks[t];
      if (td.trigger_rank >= view.ranks.size() ||
          td.trigger_event >= view.ranks[td.trigger_rank].events.size()) {
        findings.errors.push_back(
            fmt::format("{} on rank {} triggers event {} of rank {}, which does not exist",
                        view.task_name(r, t), r, td.trigger_event, td.trigger_rank));
      }
      for (const Region& region : rank.regions.subspan(td.first_region, td.num_inputs + td.num_outputs)) {
        ++regions;
        if (region.rank < view.ranks.size() && region.tensor < tensors &&
            region.row_begin <= region.row_end &&
            region.row_end <= rows[std::size_t{region.rank} * tensors + region.tensor]) {
          continue;
        }
        findings.errors.push_back(fmt::format(
            "{} on rank {}: rows [{}, {}) of tensor {} on rank {} do not exist", view.task_name(r, t), r,
            region.row_begin, region.row_end, region.tensor, region.rank));
      }
    }
  }
  findings.notes.push_back(fmt::format("{} regions lie inside their tensors", regions));
}

void check_thresholds(const Schedule& schedule, Findings& findings) {
  const TaskflowView view(schedule);
  std::vector<std::vector<std::uint32_t>> received;
  for (const TaskflowView::Rank& rank : view.ranks) received.emplace_back(rank.events.size());
  for (const TaskflowView::Rank& rank : view.ranks) {
    for (const TaskDescriptor& td : rank.tasks) {
      if (td.trigger_rank < received.size() && td.trigger_event < received[td.trigger_rank].size()) {
        ++received[td.trigger_rank][td.trigger_event];
      }
    }
  }
  std::uint64_t events = 0;
  for (std::uint32_t r = 0; r < view.ranks.size(); ++r) {
    for (std::uint32_t e = 0; e < received[r].size(); ++e, ++events) {
      const std::uint32_t threshold = view.ranks[r].events[e].threshold;
      if (received[r][e] == threshold) continue;
      findings.errors.push_back(fmt::format("event {} of rank {} receives {} triggers; its threshold is {}",
                                            e, r, received[r][e], threshold));
    }
  }
  findings.notes.push_back(
      fmt::format("the thresholds of {} events equal the triggers that they receive", events));
}

}  // namespace a3sim
