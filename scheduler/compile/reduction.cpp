#include "scheduler/compile/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/core/error.h"

namespace a3sim {
Reduction::Reduction(std::span<const OperatorInfo> operators)
    : producers_(operators.size()),
      consumers_(operators.size()),
      implied_(operators.size()),
      between_(operators.size()),
      seen_(operators.size(), kNone) {
  for (const OperatorInfo& op : operators) names_.push_back(op.name);
  find_neighbours(operators);
  for (std::uint32_t op = 0; op < operators.size(); ++op) between_[op] = find_between(op, operators);
}

void Reduction::find_neighbours(std::span<const OperatorInfo> operators) {
  std::vector<Operators> writers;  // by tensor
  for (std::uint32_t op = 0; op < operators.size(); ++op) {
    for (const TensorId output : operators[op].outputs) {
      if (index(output) >= writers.size()) writers.resize(index(output) + std::size_t{1});
      writers[index(output)].push_back(op);
    }
  }
  for (std::uint32_t op = 0; op < operators.size(); ++op) {
    Operators& producers = producers_[op];
    for (const TensorId input : operators[op].inputs) {
      if (index(input) >= writers.size()) continue;
      const Operators& of_input = writers[index(input)];
      producers.insert(producers.end(), of_input.begin(), of_input.end());
    }
    std::ranges::sort(producers);
    producers.erase(std::ranges::unique(producers).begin(), producers.end());
    for (const std::uint32_t p : producers) {
      consumers_[p].push_back(op);
      acyclic_ = acyclic_ && operators[p].stage < operators[op].stage;
    }
  }
}

// Goes back from the producers to all that they depend on, no further than the earliest of them. Then goes forward from those
// producers that were met.
Reduction::Operators Reduction::find_between(std::uint32_t op, std::span<const OperatorInfo> operators) {
  const Operators& producers = producers_[op];
  if (producers.size() < 2) return {};
  std::uint32_t earliest = kNone;
  for (const std::uint32_t p : producers) earliest = std::min(earliest, operators[p].stage);
  Operators stack = producers;
  while (!stack.empty()) {
    const std::uint32_t at = stack.back();
    stack.pop_back();
    if (acyclic_ && operators[at].stage <= earliest) continue;
    for (const std::uint32_t before : producers_[at]) {
      if (std::exchange(seen_[before], op) != op) stack.push_back(before);
    }
  }
  std::ranges::copy_if(producers, std::back_inserter(implied_[op]),
                       [&](std::uint32_t p) { return seen_[p] == op; });
  stack = implied_[op];
  Operators between;
  while (!stack.empty()) {
    const std::uint32_t at = stack.back();
    stack.pop_back();
    for (const std::uint32_t after : consumers_[at]) {
      const bool leads_to_op = seen_[after] == op || std::ranges::binary_search(producers, after);
      if (!leads_to_op || std::ranges::find(between, after) != between.end()) continue;
      between.push_back(after);
      stack.push_back(after);
    }
  }
  std::ranges::sort(between);
  return between;
}

std::string Reduction::circle(std::size_t op) const {
  return fmt::format(
      "tasks of operator '{}' wait in a circle for what follows from them: one of its holds, or of an "
      "operator that leads to "
      "it, names rows that are written behind it",
      names_[op]);
}

namespace {

// Searches backward from a consumer's producers, within the operators between them.
class BackwardSearch {
 public:
  BackwardSearch(const Dependencies& dependencies, const Reduction& operators)
      : dependencies_(dependencies),
        operators_(operators),
        seen_(dependencies.groups().size(), kNone),
        wanted_(dependencies.groups().size(), kNone) {}

  // Marks the producers of `consumer` on which another one depends, directly or not.
  void run(std::uint32_t consumer) {
    const std::uint32_t op = dependencies_.groups()[consumer].op;
    between_ = operators_.between(op);
    missing_ = 0;
    for (const Dependency& edge : dependencies_.of_consumer(consumer)) {
      if (!operators_.is_implied(op, dependencies_.groups()[edge.producer].op)) continue;
      wanted_[edge.producer] = consumer;
      ++missing_;
    }
    queue_.clear();
    for (const Dependency& edge : dependencies_.of_consumer(consumer)) expand(edge.producer, consumer);
    // Tasks behind the last producer may still lead to a circle.
    for (std::size_t at = 0; at < queue_.size() && (missing_ > 0 || !operators_.acyclic()); ++at)
      expand(queue_[at], consumer);
  }
  bool reached(std::uint32_t group, std::uint32_t consumer) const { return seen_[group] == consumer; }

 private:
  void expand(std::uint32_t group, std::uint32_t stamp) {
    if (!std::ranges::binary_search(between_, dependencies_.groups()[group].op)) return;
    for (const Dependency& edge : dependencies_.of_consumer(group)) {
      if (edge.producer == stamp) throw InputError(operators_.circle(dependencies_.groups()[stamp].op));
      if (seen_[edge.producer] == stamp) continue;
      seen_[edge.producer] = stamp;
      missing_ -= wanted_[edge.producer] == stamp;
      queue_.push_back(edge.producer);
    }
  }

  const Dependencies& dependencies_;
  const Reduction& operators_;
  std::span<const std::uint32_t> between_;
  // One entry per group: the last consumer for which it was reached, and for which it should be.
  std::vector<std::uint32_t> seen_, wanted_;
  std::vector<std::uint32_t> queue_;
  std::size_t missing_ = 0;
};

}  // namespace

void Reduction::apply(Dependencies& dependencies) const {
  if (std::ranges::all_of(between_, &Operators::empty)) return;
  const std::span<const TaskGroup> groups = dependencies.groups();
  BackwardSearch search(dependencies, *this);
  std::vector<Dependency> kept;
  kept.reserve(dependencies.edges().size());
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    const bool implied = !between_[groups[g].op].empty();
    if (implied) search.run(g);
    for (const Dependency& edge : dependencies.of_consumer(g)) {
      if (!implied || !search.reached(edge.producer, g)) kept.push_back(edge);
    }
  }
  dependencies.set_edges(std::move(kept));
}

}  // namespace a3sim
