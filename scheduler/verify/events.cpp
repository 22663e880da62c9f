#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "scheduler/ssc/same_fields.h"
#include "scheduler/ssc/taskflow_view.h"
#include "scheduler/verify/parts.h"

namespace a3sim {
namespace {

// Returns whether two ranks' tensors are the same, apart from the numbers of sent and received rows, which
// follow from each rank's capacities.
bool same_tensors(std::span<const TensorInfo> a, std::span<const TensorInfo> b) {
  const auto same = [](TensorInfo x, TensorInfo y) {
    for (TensorInfo* tensor : {&x, &y}) {
      if (tensor->layout == Layout::kSent || tensor->layout == Layout::kReceived) tensor->rows = 0;
    }
    return same_fields(x, y);
  };
  return std::ranges::equal(a, b, same);
}

// Returns the first property that two schedules of one group should share but do not; empty if they share all
// of them.
std::string_view difference(const Ssc& a, const Ssc& b) {
  if (a.shape() != b.shape()) return "shape";
  if (a.graph() != b.graph()) return "graph";
  if (a.order() != b.order()) return "order";
  if (a.assignment() != b.assignment()) return "assignment of tasks to workers";
  if (a.kinds() != b.kinds()) return "number or kind of workers";
  if (!same_tensors(a.tensors(), b.tensors())) return "table of tensors";
  if (!std::ranges::equal(a.operators(), b.operators(), same_fields<OperatorInfo>))
    return "table of operators";
  if (!std::ranges::equal(a.tilings(), b.tilings())) return "table of tilings";
  return {};
}

// Returns whether a rank receives what the others send to it, by expert and source.
bool receives_what_is_sent(const Schedule& schedule, std::uint32_t rank) {
  const MoeShape& shape = schedule.front().shape();
  const std::span<const std::uint32_t> received = schedule[rank].received_capacity();
  for (std::uint32_t e = 0; e < shape.experts_per_rank; ++e) {
    for (std::uint32_t src = 0; src < shape.ep; ++src) {
      if (received[std::size_t{e} * shape.ep + src] !=
          schedule[src].sent_capacity()[std::size_t{rank} * shape.experts_per_rank + e])
        return false;
    }
  }
  return true;
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
    if (const std::string_view what = difference(ssc, first); !what.empty())
      findings.errors.push_back(fmt::format("rank {} has another {} than rank 0", r, what));
  }
  if (!findings.errors.empty()) return;
  for (std::uint32_t r = 0; r < schedule.size(); ++r) {
    if (!receives_what_is_sent(schedule, r))
      findings.errors.push_back(fmt::format("rank {} has room for other rows than are sent to it", r));
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

  void visit(std::uint32_t r) override {
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
  std::size_t tensors_;              // number of tensors of every rank
  std::vector<std::uint32_t> rows_;  // one entry per rank, then tensor
  std::uint64_t regions_ = 0;
};

class ThresholdsCheck final : public Check {
 public:
  explicit ThresholdsCheck(const CheckedGroup& group) : taskflow_(group.taskflow) {
    for (const TaskflowView::Rank& rank : taskflow_.ranks) received_.emplace_back(rank.events.size());
  }

  void visit(std::uint32_t rank) override {
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
  std::vector<std::vector<std::uint32_t>> received_;  // one entry per rank, then event
};

}  // namespace

std::unique_ptr<Check> regions_check(const CheckedGroup& group) {
  return std::make_unique<RegionsCheck>(group);
}
std::unique_ptr<Check> thresholds_check(const CheckedGroup& group) {
  return std::make_unique<ThresholdsCheck>(group);
}

}  // namespace a3sim
