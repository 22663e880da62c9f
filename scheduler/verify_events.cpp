#include <fmt/format.h>

#include <algorithm>

#include "scheduler/dependencies.h"
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

// Looks for a way back from a consumer to a producer over events. Tasks are searched by event: all producers
// of one wait for events of their own.
class WaitSearch {
 public:
  explicit WaitSearch(const TaskflowView& taskflow) {
    for (const TaskflowView::Rank& rank : taskflow.ranks) {
      first_event_.push_back(events_);
      events_ += static_cast<std::uint32_t>(rank.events.size());
    }
    behind_.resize(events_);
    for (std::uint32_t r = 0; r < taskflow.ranks.size(); ++r) {
      for (const TaskDescriptor& td : taskflow.ranks[r].tasks) {
        if (td.dependent_event != kNone)
          behind_[triggered(td)].push_back(first_event_[r] + td.dependent_event);
      }
    }
    for (std::vector<std::uint32_t>& events : behind_) {
      std::sort(events.begin(), events.end());
      events.erase(std::unique(events.begin(), events.end()), events.end());
    }
    seen_.assign(events_, kNone);
  }

  // Whether what the consumer waits for includes the end of the producer.
  bool waits(std::uint32_t rank, const TaskDescriptor& consumer, const TaskDescriptor& producer) {
    if (consumer.dependent_event == kNone) return false;
    const std::uint32_t start = first_event_[rank] + consumer.dependent_event, goal = triggered(producer);
    if (start == goal) return true;
    if (start != searched_) search(start);
    return seen_[goal] == start;
  }

 private:
  std::uint32_t triggered(const TaskDescriptor& td) const {
    return first_event_[td.trigger_rank] + td.trigger_event;
  }

  void search(std::uint32_t start) {
    searched_ = start;
    std::vector<std::uint32_t> stack = {start};
    while (!stack.empty()) {
      const std::uint32_t event = stack.back();
      stack.pop_back();
      for (const std::uint32_t next : behind_[event]) {
        if (seen_[next] == start) continue;
        seen_[next] = start;
        stack.push_back(next);
      }
    }
  }

  std::vector<std::uint32_t> first_event_;          // by rank
  std::uint32_t events_ = 0;                        // over all ranks
  std::vector<std::vector<std::uint32_t>> behind_;  // by event: what its producers wait for
  std::vector<std::uint32_t> seen_;                 // by event: the search that met it last
  std::uint32_t searched_ = kNone;
};

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
  for (std::uint32_t r = 0; r < schedule.size(); ++r) {
    const TaskflowView view(schedule);
    for (std::uint32_t t = 0; t < schedule[r].tasks().size(); ++t) {
      const TaskDescriptor& td = schedule[r].tasks()[t];
      if (td.trigger_rank >= schedule.size() ||
          td.trigger_event >= schedule[td.trigger_rank].events().size()) {
        findings.errors.push_back(
            fmt::format("{} on rank {} triggers event {} of rank {}, which does not exist",
                        view.task_name(r, t), r, td.trigger_event, td.trigger_rank));
      }
      for (const Region& region :
           schedule[r].regions().subspan(td.first_region, td.num_inputs + td.num_outputs)) {
        ++regions;
        if (region.rank < schedule.size() && region.tensor < schedule[region.rank].tensors().size() &&
            region.row_begin <= region.row_end &&
            region.row_end <= schedule[region.rank].tensors()[region.tensor].rows) {
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
  std::vector<std::vector<std::uint32_t>> received;
  for (const Ssc& ssc : schedule) received.emplace_back(ssc.events().size());
  for (const Ssc& ssc : schedule) {
    for (const TaskDescriptor& td : ssc.tasks()) {
      if (td.trigger_rank < received.size() && td.trigger_event < received[td.trigger_rank].size()) {
        ++received[td.trigger_rank][td.trigger_event];
      }
    }
  }
  std::uint64_t events = 0;
  for (std::uint32_t r = 0; r < schedule.size(); ++r) {
    for (std::uint32_t e = 0; e < received[r].size(); ++e, ++events) {
      const std::uint32_t threshold = schedule[r].events()[e].threshold;
      if (received[r][e] == threshold) continue;
      findings.errors.push_back(fmt::format("event {} of rank {} receives {} triggers; its threshold is {}",
                                            e, r, received[r][e], threshold));
    }
  }
  findings.notes.push_back(
      fmt::format("the thresholds of {} events equal the triggers that they receive", events));
}

void check_waits(const Schedule& schedule, Findings& findings) {
  const TaskflowView taskflow(schedule);
  const Dependencies dependencies = Dependencies::of(taskflow);
  WaitSearch search(taskflow);
  for (const Dependency& edge : dependencies.edges()) {
    const TaskGroup &consumers = dependencies.groups()[edge.consumer],
                    &producers = dependencies.groups()[edge.producer];
    for (std::uint32_t c = consumers.first; c < consumers.first + consumers.count; ++c) {
      for (std::uint32_t p = producers.first; p < producers.first + producers.count; ++p) {
        if (search.waits(consumers.rank, taskflow.ranks[consumers.rank].tasks[c],
                         taskflow.ranks[producers.rank].tasks[p])) {
          continue;
        }
        findings.errors.push_back(
            fmt::format("{} on rank {} reads what {} on rank {} writes, and does not wait for it",
                        taskflow.task_name(consumers.rank, c), consumers.rank,
                        taskflow.task_name(producers.rank, p), producers.rank));
      }
    }
  }
  findings.notes.push_back(
      fmt::format("{} pairs of a reader and a writer are ordered by events", dependencies.pairs()));
}

}  // namespace a3sim
