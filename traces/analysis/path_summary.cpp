#include "traces/analysis/path_summary.h"

#include <algorithm>

namespace a3sim {
namespace {

void take_over(PathStretch& into, const PathStretch& other) {
  into.to = other.to;
  into.tasks += other.tasks;
  for (const std::uint32_t op : other.ops) {
    if (std::find(into.ops.begin(), into.ops.end(), op) == into.ops.end()) into.ops.push_back(op);
  }
  for (std::uint32_t b = 0; b < kBlames; ++b) into.blame[b] += other.blame[b];
}

// Joins the shortest stretch to the shorter of its neighbours, whichever then comes first.
void join_shortest(std::vector<PathStretch>& stretches) {
  const auto length = [&](std::size_t i) { return stretches[i].to - stretches[i].from; };
  std::size_t shortest = 0;
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    if (length(i) < length(shortest)) shortest = i;
  }
  const bool to_next =
      shortest == 0 || (shortest + 1 < stretches.size() && length(shortest + 1) < length(shortest - 1));
  const std::size_t first = to_next ? shortest : shortest - 1;
  take_over(stretches[first], stretches[first + 1]);
  stretches.erase(stretches.begin() + static_cast<std::ptrdiff_t>(first) + 1);
}

// Two operators that take turns, one after the other, become one stretch of both.
void join_alternations(std::vector<PathStretch>& stretches) {
  std::vector<PathStretch> joined;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    PathStretch& of = joined.emplace_back(std::move(stretches[i]));
    for (; i + 2 < stretches.size() && of.ops.front() == stretches[i + 2].ops.front(); i += 2) {
      take_over(of, stretches[i + 1]);
      take_over(of, stretches[i + 2]);
    }
  }
  stretches = std::move(joined);
}

bool within(const std::vector<std::uint32_t>& some, const std::vector<std::uint32_t>& all) {
  return std::all_of(some.begin(), some.end(),
                     [&](std::uint32_t op) { return std::find(all.begin(), all.end(), op) != all.end(); });
}

// Operators that take turns stay together: neighbours of which one has no operator that the other has not.
void join_turns(std::vector<PathStretch>& stretches) {
  std::size_t kept = 0;
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    PathStretch& last = stretches[kept];
    const PathStretch& next = stretches[i];
    if ((last.ops.size() > 1 && within(next.ops, last.ops)) ||
        (next.ops.size() > 1 && within(last.ops, next.ops))) {
      take_over(last, next);
    } else if (++kept != i) {
      stretches[kept] = std::move(stretches[i]);
    }
  }
  stretches.resize(stretches.empty() ? 0 : kept + 1);
}

}  // namespace

Blame PathStretch::most() const {
  return static_cast<Blame>(std::max_element(blame.begin(), blame.end()) - blame.begin());
}

std::vector<PathStretch> summarise(const CriticalPath& path, std::size_t most) {
  std::vector<PathStretch> stretches;
  for (const PathStep& step : path.steps) {
    const PathStretch one{step.from, step.to, {step.op}, step.ran ? 1U : 0U, step.blame};
    if (!stretches.empty() && stretches.back().ops.front() == step.op) {
      take_over(stretches.back(), one);
    } else {
      stretches.push_back(one);
    }
  }
  if (stretches.size() > most) join_alternations(stretches);
  while (stretches.size() > most) {
    join_shortest(stretches);
    join_turns(stretches);
  }
  return stretches;
}

}  // namespace a3sim
