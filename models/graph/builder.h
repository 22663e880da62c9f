#pragma once

#include <initializer_list>
#include <string>

#include "models/graph/graph.h"

namespace a3sim {

// Shorthand for writing a graph of one MoE-FFN down.
struct GraphBuilder {
  const MoeShape& shape;
  Graph graph;

  TensorId tensor(const std::string& name, Layout layout, std::uint32_t rows, std::uint32_t cols,
                  bool external);
  // Rows by source and expert, which the puts take their offsets and sizes from.
  TensorId counts();
  // The router's weights; Permute and Accumulate read its choice with them.
  TensorId router();
  void add(const std::string& name, const std::string& type, std::initializer_list<TensorId> inputs,
           TensorId output, bool transposed = false);
};

}  // namespace a3sim
