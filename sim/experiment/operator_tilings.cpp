#include "sim/experiment/operator_tilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "models/graph/tiling_config.h"
#include "models/operators/operator.h"
#include "sim/core/closest.h"

namespace a3sim {
namespace {

// The graph with these tilings in place of its operators' own.
Graph with_tilings(const Graph& graph, const std::map<std::string, Tiling>& tilings) {
  Graph with;
  for (const TensorNode& tensor : graph.tensors()) with.add_tensor(tensor);
  for (OperatorNode op : graph.operators()) {
    if (const auto found = tilings.find(op.name); found != tilings.end()) op.tiling = found->second;
    with.add_operator(std::move(op));
  }
  return with;
}

std::vector<std::string> product_names(const Experiment& experiment) {
  std::vector<std::string> names;
  for (const Pass& pass : experiment.passes) {
    for (const OperatorNode& op : pass.graph.operators()) {
      if (Operators::get(op.type).unit() == CoreUnit::kMatrix) names.push_back(op.name);
    }
  }
  return names;
}

}  // namespace

void read_operator_tilings(const Config& operators, Experiment& experiment,
                           const std::function<void(const Config&, const Tiling&)>& check) {
  const std::vector<std::string> products = product_names(experiment);
  const std::vector<std::string>& elsewhere = experiment.order.elsewhere;
  std::map<std::string, Tiling> tilings;
  for (const std::string& name : operators.names()) {
    const Config block = operators.map(name);
    const Tiling tiling = read_tiling(block, experiment.cut.tiling);
    check(block, tiling);
    if (!experiment.work->why_no_schedules().empty()) {
      operators.error(name, "kernels on streams share one tiling: expected none");
    } else if (std::ranges::count(products, name) > 0) {
      tilings[name] = tiling;
    } else if (std::ranges::count(elsewhere, name) == 0) {
      operators.error(name, fmt::format("no product is called '{}'{}", name, suggestion(name, products)));
    }
  }
  operators.finish();
  if (tilings.empty()) return;
  for (Pass& pass : experiment.passes) pass.graph = with_tilings(pass.graph, tilings);
}

}  // namespace a3sim
