#include "scheduler/compile/compile.h"

namespace a3sim {
namespace {

// Returns the number of parts into which all named inputs are partitioned along the dimension that the
// operator needs, or 1.
std::uint32_t inherited(const OperatorNode& node, const std::vector<Partition>& tensors) {
  std::uint32_t number = 0;
  for (const SplitSpec::Inherit& inherit : node.split.inherits) {
    const Partition& partition = tensors[index(node.inputs[inherit.input])];
    if (partition.dim != inherit.dim || (number != 0 && partition.num != number)) return 1;
    number = partition.num;
  }
  return number;
}

std::uint32_t tile_number(const OperatorNode& node, const MoeShape& shape, const CutOptions& cut,
                          const std::vector<TensorInfo>& infos, const std::vector<Partition>& tensors) {
  if (!node.split.inherits.empty()) return inherited(node, tensors);
  std::vector<TensorInfo> inputs;
  for (const TensorId input : node.inputs) inputs.push_back(infos[index(input)]);
  return Operators::get(node.type).task_number(shape, node.cut.value_or(cut), inputs);
}

}  // namespace

Splits propagate_splits(const Graph& graph, const MoeShape& shape, const CutOptions& cut) {
  Splits splits{std::vector<Partition>(graph.tensors().size()),
                std::vector<std::uint32_t>(graph.operators().size())};
  const std::vector<TensorInfo> infos = tensor_infos(graph, shape);
  for (const OpId op : graph.topological_order()) {
    const OperatorNode& node = graph.op(op);
    const std::uint32_t tiles = tile_number(node, shape, cut, infos, splits.tensors);
    splits.tiles[index(op)] = tiles;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const int dim = i < node.split.output_dims.size() ? node.split.output_dims[i] : -1;
      splits.tensors[index(node.outputs[i])] = {tiles > 1 && dim >= 0 ? dim : -1, tiles};
    }
  }
  return splits;
}

}  // namespace a3sim
