#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "models/graph/plain_graph.h"

namespace a3sim::test {

// Returns a graph of configs/graphs that needs no model, with these values of its block, on so many AIVs.
inline PlainGraph shipped_graph(const std::string& file, const std::string& values, std::uint32_t aiv = 1) {
  Diagnostics diagnostics;
  const std::string path = std::string(A3SIM_SOURCE_DIR) + "/configs/graphs/" + file;
  const Config root =
      Config::parse("include: '" + path + "'\ngraph: {" + values + "}\n", "test.yaml", {}, diagnostics);
  PlainGraph plain = plain_graph_from_config(root.map("graph"), {{"aic", 1}, {"aiv", aiv}});
  diagnostics.throw_if_any();
  return plain;
}

inline const TensorNode& tensor_named(const Graph& graph, const std::string& name) {
  const auto found = std::ranges::find(graph.tensors(), name, &TensorNode::name);
  REQUIRE(found != graph.tensors().end());
  return *found;
}

}  // namespace a3sim::test
