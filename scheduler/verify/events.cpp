#include <fmt/format.h>

#include <algorithm>

#include "scheduler/ssc/taskflow_view.h"
#include "scheduler/verify/parts.h"

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

namespace {

class RegionsCheck final : public Check {
 public:
  explicit RegionsCheck(const CheckedGroup& group)
      : taskflow_(group.taskflow), tensors_(taskflow_.ranks.front().tensors.size()) {
    for (const TaskflowView::Rank& rank : taskflow_.ranks) {
      for (const TensorInfo& tensor : rank.tensors) rows_.push_back(tensor.rows);
    }
  }

  void look_at(std::uint32_t r) override {
    const TaskflowView::Rank& rank = taskflow_.ranks[r];
    for (std::uint32_t t = 0; t < rank.tasks.size(); ++t) {
      const TaskDescriptor& td = rank.tasks[t];
      if (td.trigger_rank >= taskflow_.ranks.size() ||
          td.trigger_event >= taskflow_.ranks[td.trigger_rank].events.size()) {
        findings_.errors.push_back(
            fmt::format("{} on rank {} triggers event {} of rank {}, which does not exist",
                        taskflow_.task_name(r, t), r, td.trigger_event, td.trigger_rank));
      }
      for (const Region& region : rank.regions.subspan(td.first_region, td.num_inputs + td.num_outputs)) {
        ++regions_;
        if (region.rank < taskflow_.ranks.size() && region.tensor < tensors_ &&
            region.row_begin <= region.row_end &&
            region.row_end <= rows_[std::size_t{region.rank} * tensors_ + region.tensor]) {
          continue;
        }
        findings_.errors.push_back(fmt::format(
            "{} on rank {}: rows [{}, {}) of tensor {} on rank {} do not exist", taskflow_.task_name(r, t), r,
            region.row_begin, region.row_end, region.tensor, region.rank));
      }
    }
  }

  void finish() override {
    findings_.notes.push_back(fmt::format("{} regions lie inside their tensors", regions_));
  }

 private:
  const TaskflowView& taskflow_;
  std::size_t tensors_;              // of every rank
  std::vector<std::uint32_t> rows_;  // by rank and tensor
  std::uint64_t regions_ = 0;
};

class ThresholdsCheck final : public Check {
 public:
  explicit ThresholdsCheck(const CheckedGroup& group) : taskflow_(group.taskflow) {
    for (const TaskflowView::Rank& rank : taskflow_.ranks) received_.emplace_back(rank.events.size());
  }

  void look_at(std::uint32_t rank) override {
    for (const TaskDescriptor& td : taskflow_.ranks[rank].tasks) {
      if (td.trigger_rank < received_.size() && td.trigger_event < received_[td.trigger_rank].size()) {
        ++received_[td.trigger_rank][td.trigger_event];
      }
    }
  }

  void finish() override {
    std::uint64_t events = 0;
    for (std::uint32_t r = 0; r < received_.size(); ++r) {
      for (std::uint32_t e = 0; e < received_[r].size(); ++e, ++events) {
        const std::uint32_t threshold = taskflow_.ranks[r].events[e].threshold;
        if (received_[r][e] == threshold) continue;
        findings_.errors.push_back(
            fmt::format("event {} of rank {} receives {} triggers; its threshold is {}", e, r,
                        received_[r][e], threshold));
      }
    }
    findings_.notes.push_back(
        fmt::format("the thresholds of {} events equal the triggers that they receive", events));
  }

 private:
  const TaskflowView& taskflow_;
  std::vector<std::vector<std::uint32_t>> received_;  // by rank and event
};

}  // namespace

std::unique_ptr<Check> regions_check(const CheckedGroup& group) {
  return std::make_unique<RegionsCheck>(group);
}
std::unique_ptr<Check> thresholds_check(const CheckedGroup& group) {
  return std::make_unique<ThresholdsCheck>(group);
}

}  // namespace a3sim
