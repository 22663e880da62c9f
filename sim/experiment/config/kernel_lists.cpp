#include "sim/experiment/config/kernel_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "scheduler/orders/order_pools.h"
#include "sim/core/closest.h"

namespace a3sim {
namespace {

std::vector<std::string> words_of(const std::string& list) {
  std::istringstream stream(list);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> operators_of_passes(const Experiment& experiment) {
  std::set<std::string> names;
  for (const Pass& pass : experiment.passes)
    for (const OperatorNode& op : pass.graph.operators()) names.insert(op.name);
  return {names.begin(), names.end()};
}

// Collects the operators that fit a list's entries, and the entries that no operator fits.
class OperatorNames {
 public:
  explicit OperatorNames(const Experiment& experiment)
      : operators_(operators_of_passes(experiment)), known_(operators_) {
    known_.insert(known_.end(), experiment.order.elsewhere.begin(), experiment.order.elsewhere.end());
  }

  std::vector<std::string> fitting(const char* key, const std::vector<std::string>& entries,
                                   std::vector<KernelListError>& wrong) const {
    std::vector<std::string> names;
    for (const std::string& entry : entries) {
      const auto selected = [&](const std::string& op) { return fits(op, entry); };
      if (std::ranges::none_of(known_, selected))
        wrong.push_back({key, fmt::format("no operator is called '{}'{}", entry, suggestion(entry, known_))});
      std::ranges::copy_if(operators_, std::back_inserter(names), selected);
    }
    return names;
  }

 private:
  std::vector<std::string> operators_, known_;
};

using KernelOf = std::map<std::string, std::size_t>;  // by operator

// Returns what is wrong if an operator reads what an operator of a later kernel writes. Kernels run in the
// order of the first stage of their operators.
std::optional<std::string> circular(const Graph& graph, const KernelOf& kernel_of) {
  const std::vector<std::uint32_t> stages = graph.stages();
  std::map<std::size_t, std::uint32_t> first;
  const auto kernel = [&](std::size_t op) {
    const auto found = kernel_of.find(graph.operators()[op].name);
    return found == kernel_of.end() ? kernel_of.size() + op : found->second;
  };
  for (std::size_t op = 0; op < stages.size(); ++op) {
    const auto at = first.emplace(kernel(op), stages[op]).first;
    at->second = std::min(at->second, stages[op]);
  }
  for (std::size_t op = 0; op < stages.size(); ++op) {
    const OperatorNode& reader = graph.operators()[op];
    for (const TensorId input : reader.inputs) {
      const auto writer = graph.writer(input);
      if (!writer || kernel(index(*writer)) == kernel(op)) continue;
      if (first.at(kernel(index(*writer))) < first.at(kernel(op))) continue;
      return fmt::format("'{}' reads what '{}' of a later kernel writes", reader.name,
                         graph.op(*writer).name);
    }
  }
  return std::nullopt;
}

// Returns what is wrong if an operator that is not postponed reads what a postponed one writes.
std::optional<std::string> too_late(const Graph& graph, const std::vector<std::string>& postponed) {
  const auto is_postponed = [&](const OperatorNode& op) {
    return std::ranges::find(postponed, op.name) != postponed.end();
  };
  for (const OperatorNode& reader : graph.operators()) {
    if (is_postponed(reader)) continue;
    for (const TensorId input : reader.inputs) {
      const auto writer = graph.writer(input);
      if (writer && is_postponed(graph.op(*writer)))
        return fmt::format("'{}' reads what '{}' writes, and is not postponed", reader.name,
                           graph.op(*writer).name);
    }
  }
  return std::nullopt;
}

}  // namespace

void read_kernels(const Config& block, Experiment& experiment) {
  for (const std::string& list : block.texts("kernels")) experiment.run.kernels.push_back(words_of(list));
  experiment.run.postponed = block.texts("postponed");
  const std::string& execution = experiment.run.execution;
  if (!experiment.run.kernels.empty() &&
      (execution != "static" || experiment.run.transport != Transport::kPuts))
    block.error("kernels",
                "taskflows follow one another where execution is static and communication one_sided");
  if (!experiment.run.postponed.empty() && execution != "two_streams")
    block.error("postponed", "kernels have places in streams where execution is two_streams");
  if (experiment.run.kernel_experts > 0 && execution != "two_streams")
    block.error("kernel_experts", "kernels have rows of some experts where execution is two_streams");
}

std::vector<KernelListError> name_kernels(Experiment& experiment) {
  std::vector<KernelListError> wrong;
  if (experiment.passes.empty()) return wrong;
  const OperatorNames names(experiment);
  experiment.run.postponed = names.fitting("postponed", experiment.run.postponed, wrong);
  KernelOf kernel_of;
  std::vector<std::vector<std::string>>& kernels = experiment.run.kernels;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    kernels[k] = names.fitting("kernels", kernels[k], wrong);
    for (const std::string& op : kernels[k])
      if (!kernel_of.emplace(op, k).second)
        wrong.push_back({"kernels", fmt::format("'{}' is in two kernels, or twice in one", op)});
  }
  if (!wrong.empty()) return wrong;
  for (const Pass& pass : experiment.passes) {
    if (const auto why = too_late(pass.graph, experiment.run.postponed)) wrong.push_back({"postponed", *why});
    if (kernels.empty()) continue;
    if (const auto why = circular(pass.graph, kernel_of)) wrong.push_back({"kernels", *why});
  }
  return wrong;
}

}  // namespace a3sim
