#include "sim/experiment/config/operator_tilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
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

// A matrix operator of a pass, and the type of its operands.
struct MatrixOperator {
  std::string name;
  std::optional<Tiling> tiling;  // its own, if its graph has one
  DataType dtype = DataType::kBf16;
};

std::vector<MatrixOperator> matrix_operators(const Experiment& experiment) {
  std::vector<MatrixOperator> products;
  for (const Pass& pass : experiment.passes) {
    for (const OperatorNode& op : pass.graph.operators()) {
      if (Operators::get(op.type).unit() == CoreUnit::kMatrix)
        products.push_back({op.name, op.tiling, pass.graph.tensor(op.inputs.front()).dtype});
    }
  }
  return products;
}

std::vector<std::string> names_of(const std::vector<MatrixOperator>& products) {
  std::vector<std::string> names;
  for (const MatrixOperator& product : products) names.push_back(product.name);
  return names;
}

}  // namespace

void read_operator_tilings(const Config& operators, Experiment& experiment,
                           const std::function<void(const Config&, const Tiling&, DataType)>& check) {
  const std::vector<MatrixOperator> products = matrix_operators(experiment);
  const std::vector<std::string>& elsewhere = experiment.order.elsewhere;
  std::map<std::string, Tiling> tilings;
  for (const std::string& name : operators.names()) {
    const Config block = operators.map(name);
    const auto known = std::ranges::find(products, name, &MatrixOperator::name);
    const bool found = known != products.end();
    const Tiling& usual = found && known->tiling ? *known->tiling : experiment.cut.tiling;
    const Tiling tiling = read_tiling(block, usual);
    check(block, tiling, found ? known->dtype : experiment.shape.dtype);
    if (!experiment.work->why_no_schedules().empty()) {
      operators.error(name, "kernels on streams share one tiling: expected none");
    } else if (found) {
      tilings[name] = tiling;
    } else if (std::ranges::count(elsewhere, name) == 0) {
      operators.error(name,
                      fmt::format("no product is called '{}'{}", name, suggestion(name, names_of(products))));
    }
  }
  operators.finish();
  if (tilings.empty()) return;
  for (Pass& pass : experiment.passes) pass.graph = with_tilings(pass.graph, tilings);
}

}  // namespace a3sim
