#pragma once

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "models/taskflow/block_grid.h"
#include "scheduler/ssc/taskflow_view.h"

// The expected result of wiring, computed the slow way: task by task, element by element, with matrices.
namespace a3sim::oracle {

using Matrix = std::vector<std::vector<char>>;

// A task on any rank.
struct Task {
  std::uint32_t rank, index;
  friend auto operator<=>(const Task&, const Task&) = default;
};

inline std::vector<Task> all_tasks(const TaskflowView& flow) {
  std::vector<Task> tasks;
  for (std::uint32_t r = 0; r < flow.ranks.size(); ++r) {
    for (std::uint32_t t = 0; t < flow.ranks[r].tasks.size(); ++t) tasks.push_back({r, t});
  }
  return tasks;
}

inline const TaskDescriptor& td(const TaskflowView& flow, Task task) {
  return flow.ranks[task.rank].tasks[task.index];
}

// Returns the elements (row, column) of a region. In layouts whose rows move with the counts, a share that
// has any block has all elements of the region.
inline std::set<std::pair<std::uint32_t, std::uint32_t>> elements(const TaskflowView& flow, Task task,
                                                                  const Region& region) {
  const TensorInfo& tensor = flow.ranks[task.rank].tensors[region.tensor];
  const bool moves = tensor.layout == Layout::kSent || tensor.layout == Layout::kReceived;
  std::set<std::pair<std::uint32_t, std::uint32_t>> own, all;
  const Tiling* tiling = flow.tiling(td(flow, task));
  for (std::uint32_t row = 0; row < region.rows().size(); ++row) {
    for (std::uint32_t col = 0; col < tensor.cols; ++col) {
      all.emplace(region.row_begin + row, col);
      if (region.shares == 1 || !tiling) {
        own.emplace(region.row_begin + row, col);
        continue;
      }
      const std::uint32_t across = (tensor.cols + tiling->base_n - 1) / tiling->base_n;
      const std::uint32_t block = row / tiling->base_m * across + col / tiling->base_n;
      if (block % region.shares == region.share) own.emplace(region.row_begin + row, col);
    }
  }
  return moves && !own.empty() ? all : own;
}

// Returns depends[c][p]: true if an input of c has an element of an output of p.
inline Matrix dependencies(const TaskflowView& flow) {
  const std::vector<Task> tasks = all_tasks(flow);
  using Elements = std::set<std::pair<std::uint32_t, std::uint32_t>>;
  struct Place {
    std::uint32_t tensor, rank;
    Elements elements;
  };
  std::vector<std::vector<Place>> reads(tasks.size()), writes(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const TaskflowView::Rank& rank = flow.ranks[tasks[i].rank];
    for (const Region& region : rank.inputs(td(flow, tasks[i]))) {
      if (region.flags & kMetadata) continue;
      reads[i].push_back({region.tensor, region.rank, elements(flow, tasks[i], region)});
    }
    for (const Region& region : rank.outputs(td(flow, tasks[i]))) {
      writes[i].push_back({region.tensor, region.rank, elements(flow, tasks[i], region)});
    }
  }
  const auto meet = [](const Place& a, const Place& b) {
    return a.tensor == b.tensor && a.rank == b.rank &&
           std::any_of(a.elements.begin(), a.elements.end(),
                       [&](const auto& e) { return b.elements.contains(e); });
  };
  Matrix depends(tasks.size(), std::vector<char>(tasks.size()));
  for (std::size_t c = 0; c < tasks.size(); ++c) {
    for (std::size_t p = 0; p < tasks.size(); ++p) {
      for (const Place& read : reads[c]) {
        for (const Place& write : writes[p]) depends[c][p] |= meet(read, write);
      }
    }
  }
  return depends;
}

inline Matrix closure(Matrix m) {
  for (std::size_t k = 0; k < m.size(); ++k) {
    for (std::size_t i = 0; i < m.size(); ++i) {
      if (!m[i][k]) continue;
      for (std::size_t j = 0; j < m.size(); ++j) m[i][j] |= m[k][j];
    }
  }
  return m;
}

inline Matrix reduction(const Matrix& depends) {
  const Matrix reach = closure(depends);
  Matrix reduced = depends;
  for (std::size_t c = 0; c < depends.size(); ++c) {
    for (std::size_t p = 0; p < depends.size(); ++p) {
      for (std::size_t via = 0; reduced[c][p] && via < depends.size(); ++via) {
        if (depends[c][via] && reach[via][p]) reduced[c][p] = 0;
      }
    }
  }
  return reduced;
}

inline std::uint64_t ones(const Matrix& m) {
  std::uint64_t sum = 0;
  for (const auto& row : m) sum += static_cast<std::uint64_t>(std::count(row.begin(), row.end(), 1));
  return sum;
}

// Returns the tasks that each consumer waits for if events are shared: the producers that can be reached
// from it by alternating between producers and consumers.
inline Matrix shared(const Matrix& depends) {
  const std::size_t n = depends.size();
  Matrix waits(n, std::vector<char>(n));
  for (std::size_t start = 0; start < n; ++start) {
    std::vector<char> consumer(n), grown(n);
    consumer[start] = 1;
    for (bool more = true; more;) {
      more = false;
      for (std::size_t c = 0; c < n; ++c) {
        if (!consumer[c] || grown[c]) continue;
        grown[c] = 1;
        more = true;
        for (std::size_t p = 0; p < n; ++p) {
          if (!depends[c][p]) continue;
          waits[start][p] = 1;
          for (std::size_t other = 0; other < n; ++other) consumer[other] |= depends[other][p];
        }
      }
    }
  }
  return waits;
}

// Returns waits[c][p]: true if c's event is the one that p triggers.
inline Matrix wired(const TaskflowView& flow) {
  const std::vector<Task> tasks = all_tasks(flow);
  Matrix waits(tasks.size(), std::vector<char>(tasks.size()));
  for (std::size_t c = 0; c < tasks.size(); ++c) {
    for (std::size_t p = 0; p < tasks.size(); ++p) {
      const TaskDescriptor &consumer = td(flow, tasks[c]), &producer = td(flow, tasks[p]);
      waits[c][p] = consumer.dependent_event != kNone && producer.trigger_rank == tasks[c].rank &&
                    producer.trigger_event == consumer.dependent_event;
    }
  }
  return waits;
}

inline bool has_circle(const Matrix& waits) {
  const Matrix reach = closure(waits);
  for (std::size_t i = 0; i < reach.size(); ++i) {
    if (reach[i][i]) return true;
  }
  return false;
}

// Checks that each event receives as many triggers from all ranks as its threshold, and at least one.
inline bool thresholds_hold(const TaskflowView& flow) {
  std::vector<std::vector<std::uint32_t>> received;
  for (const TaskflowView::Rank& rank : flow.ranks) received.emplace_back(rank.events.size());
  for (const TaskflowView::Rank& rank : flow.ranks) {
    for (const TaskDescriptor& task : rank.tasks) ++received[task.trigger_rank][task.trigger_event];
  }
  for (std::size_t r = 0; r < flow.ranks.size(); ++r) {
    for (std::size_t e = 0; e < received[r].size(); ++e) {
      if (received[r][e] == 0 || received[r][e] != flow.ranks[r].events[e].threshold) return false;
    }
  }
  return true;
}

}  // namespace a3sim::oracle
