#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/transitive_closure.hpp>

#include "scheduler/dependencies.h"

namespace a3sim {
namespace {

// Which operators another one is reached from.
class OperatorAncestry {
 public:
  explicit OperatorAncestry(std::span<const OperatorInfo> operators) : producers_(operators.size()) {
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
  }

  // Producers of `op` that another producer of it depends
  // on: only dependencies on these can be implied by others.
  std::vector<bool> implied_candidates(std::size_t op) const {
    std::vector<bool> result(producers_.size());
    for (const std::size_t p : producers_[op]) {
      for (const std::size_t q : producers_[op]) {
        if (ancestors_[q][p]) result[p] = true;
      }
    }
    return result;
  }

  bool reaches_any(const std::vector<bool>& from, std::size_t to) const {
    for (std::size_t op = 0; op < from.size(); ++op) {
      if (from[op] && ancestors_[to][op]) return true;
    }
    return false;
  }

 private:
  static bool feeds(const OperatorInfo& producer, const OperatorInfo& consumer) {
    return std::any_of(consumer.inputs.begin(), consumer.inputs.end(), [&](TensorId t) {
      return std::find(producer.outputs.begin(), producer.outputs.end(), t) != producer.outputs.end();
    });
  }

  std::vector<std::vector<std::size_t>> producers_;
  std::vector<std::vector<bool>> ancestors_;
};

// Searches backward from a consumer's producers, inside the operators that lie between them.
class BackwardSearch {
 public:
  BackwardSearch(const Dependencies& dependencies, const OperatorAncestry& ancestry)
      : dependencies_(dependencies), ancestry_(ancestry), seen_(dependencies.groups().size(), kNone) {}

  // Marks every group that a producer of `consumer` depends
  // on, directly or not, as far as `candidates` may be met.
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
    if (!ancestry_.reaches_any(*candidates_, dependencies_.groups()[group].op)) return;
    for (const Dependency& edge : dependencies_.of_consumer(group)) {
      if (seen_[edge.producer] == stamp) continue;
      seen_[edge.producer] = stamp;
      stack_.push_back(edge.producer);
    }
  }

  const Dependencies& dependencies_;
  const OperatorAncestry& ancestry_;
  const std::vector<bool>* candidates_ = nullptr;
  std::vector<std::uint32_t> seen_;  // the consumer for which a group was reached last
  std::vector<std::uint32_t> stack_;
};

}  // namespace

void Dependencies::reduce(std::span<const OperatorInfo> operators) {
  const OperatorAncestry ancestry(operators);
  std::vector<std::vector<bool>> candidates;
  for (std::size_t op = 0; op < operators.size(); ++op) candidates.push_back(ancestry.implied_candidates(op));
  const auto is_any = [](const std::vector<bool>& of_op) {
    return std::find(of_op.begin(), of_op.end(), true) != of_op.end();
  };
  if (std::none_of(candidates.begin(), candidates.end(), is_any)) return;

  BackwardSearch search(*this, ancestry);
  std::vector<Dependency> kept;
  kept.reserve(edges_.size());
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    const std::vector<bool>& of_op = candidates[groups_[g].op];
    const bool any = is_any(of_op);
    if (any) search.run(g, of_op);
    for (const Dependency& edge : of_consumer(g)) {
      if (!any || !search.reached(edge.producer, g)) kept.push_back(edge);
    }
  }
  set_edges(std::move(kept));
}

}  // namespace a3sim
