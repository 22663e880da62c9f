#include "scheduler/compile/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/transitive_closure.hpp>
#include <utility>

#include "sim/core/error.h"

namespace a3sim {
namespace {

bool feeds(const OperatorInfo& producer, const OperatorInfo& consumer) {
  return std::any_of(consumer.inputs.begin(), consumer.inputs.end(), [&](TensorId t) {
    return std::find(producer.outputs.begin(), producer.outputs.end(), t) != producer.outputs.end();
  });
}

bool any(const std::vector<bool>& flags) {
  return std::find(flags.begin(), flags.end(), true) != flags.end();
}

}  // namespace

Reduction::Reduction(std::span<const OperatorInfo> operators) : producers_(operators.size()) {
  for (const OperatorInfo& op : operators) names_.push_back(op.name);
  boost::adjacency_list<> feeds_into(operators.size()), leads_to;
  for (std::size_t op = 0; op < operators.size(); ++op) {
    for (std::size_t p = 0; p < operators.size(); ++p) {
      if (!feeds(operators[p], operators[op])) continue;
      producers_[op].push_back(p);
      add_edge(p, op, feeds_into);
    }
  }
  boost::transitive_closure(feeds_into, leads_to);
  ancestors_.assign(operators.size(), std::vector<bool>(operators.size()));
  for (auto [edge, end] = edges(leads_to); edge != end; ++edge) {
    ancestors_[target(*edge, leads_to)][source(*edge, leads_to)] = true;
  }
  for (std::size_t op = 0; op < operators.size(); ++op) candidates_.push_back(implied_candidates(op));
}

std::vector<bool> Reduction::implied_candidates(std::size_t op) const {
  std::vector<bool> result(producers_.size());
  for (const std::size_t p : producers_[op]) {
    for (const std::size_t q : producers_[op]) {
      if (ancestors_[q][p]) result[p] = true;
    }
  }
  return result;
}

std::string Reduction::circle(std::size_t op) const {
  return fmt::format(
      "tasks of operator '{}' wait in a circle for what follows from them: one of its holds, or of an "
      "operator that leads to "
      "it, names rows that are written behind it",
      names_[op]);
}

bool Reduction::reaches_any(const std::vector<bool>& from, std::size_t to) const {
  for (std::size_t op = 0; op < from.size(); ++op) {
    if (from[op] && ancestors_[to][op]) return true;
  }
  return false;
}

namespace {

// Searches backward from a consumer's producers, within the operators between them.
class BackwardSearch {
 public:
  BackwardSearch(const Dependencies& dependencies, const Reduction& operators)
      : dependencies_(dependencies), operators_(operators), seen_(dependencies.groups().size(), kNone) {}

  // Marks every group on which a producer of `consumer` depends, directly or not, as far as `candidates` may
  // be reached.
  void run(std::uint32_t consumer, const std::vector<bool>& candidates) {
    candidates_ = &candidates;
    for (const Dependency& edge : dependencies_.of_consumer(consumer)) expand(edge.producer, consumer);
    while (!stack_.empty()) {
      const std::uint32_t group = stack_.back();
      stack_.pop_back();
      expand(group, consumer);
    }
  }
  bool reached(std::uint32_t group, std::uint32_t consumer) const { return seen_[group] == consumer; }

 private:
  void expand(std::uint32_t group, std::uint32_t stamp) {
    if (!operators_.reaches_any(*candidates_, dependencies_.groups()[group].op)) return;
    for (const Dependency& edge : dependencies_.of_consumer(group)) {
      if (edge.producer == stamp) throw InputError(operators_.circle(dependencies_.groups()[stamp].op));
      if (seen_[edge.producer] == stamp) continue;
      seen_[edge.producer] = stamp;
      stack_.push_back(edge.producer);
    }
  }

  const Dependencies& dependencies_;
  const Reduction& operators_;
  const std::vector<bool>* candidates_ = nullptr;
  std::vector<std::uint32_t> seen_;  // one entry per group: the last consumer for which it was reached
  std::vector<std::uint32_t> stack_;
};

}  // namespace

void Reduction::apply(Dependencies& dependencies) const {
  if (std::none_of(candidates_.begin(), candidates_.end(), any)) return;
  const std::span<const TaskGroup> groups = dependencies.groups();
  BackwardSearch search(dependencies, *this);
  std::vector<Dependency> kept;
  kept.reserve(dependencies.edges().size());
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    const std::vector<bool>& of_op = candidates_[groups[g].op];
    const bool candidates = any(of_op);
    if (candidates) search.run(g, of_op);
    for (const Dependency& edge : dependencies.of_consumer(g)) {
      if (!candidates || !search.reached(edge.producer, g)) kept.push_back(edge);
    }
  }
  dependencies.set_edges(std::move(kept));
}

}  // namespace a3sim
