#pragma once

#include <initializer_list>
#include <string>

#include "models/graph/graph.h"

namespace a3sim {

// Builds the graph of one MoE feed-forward layer.
struct GraphBuilder {
  const MoeShape& shape;
  Graph graph;

  TensorId tensor(const std::string& name, Layout layout, std::uint32_t rows, std::uint32_t cols,
                  bool external);
  // Adds the tensor of row counts by source and expert, from which puts take offsets and sizes.
  TensorId counts();
  // Adds the tensor of the router's weights, through which Permute and Accumulate read its choice.
  TensorId router();
  void add(const std::string& name, const std::string& type, std::initializer_list<TensorId> inputs,
           TensorId output, bool transposed = false);
};

}  // namespace a3sim
