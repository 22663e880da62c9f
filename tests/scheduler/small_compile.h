#pragma once

#include <random>

#include "models/graph/graph.h"
#include "scheduler/compile/compile.h"

namespace a3sim {

// Small blocks, so that small shapes have several shares per tile.
inline constexpr Tiling kSmallBlocks{2, 4, 2, 1};

// Returns the graph with small blocks for its matrix operators.
inline Graph with_small_blocks(const Graph& graph) {
  Graph result;
  for (const TensorNode& tensor : graph.tensors()) result.add_tensor(tensor);
  for (OperatorNode node : graph.operators()) {
    if (Operators::get(node.type).unit() == CoreUnit::kMatrix) node.tiling = kSmallBlocks;
    result.add_operator(std::move(node));
  }
  return result;
}

inline MoeShape small_shape(std::uint32_t ep) {
  return {.tokens = 6, .hidden = 8, .intermediate = 4, .top_k = 2, .experts_per_rank = 2, .ep = ep};
}

// Returns random counts, many of them zero. Rank `starved` receives nothing.
inline RoutingCounts uneven_counts(const MoeShape& shape, std::uint64_t seed, std::uint32_t starved = kNone) {
  std::mt19937_64 random(seed);
  RoutingCounts counts(shape.ep, shape.experts());
  for (std::uint32_t src = 0; src < shape.ep; ++src) {
    for (std::uint32_t e = 0; e < shape.experts(); ++e) {
      const auto rows = static_cast<std::uint32_t>(random() % 3 == 0 ? 0 : random() % 6);
      counts.at(src, e) = e / shape.experts_per_rank == starved ? 0 : rows;
    }
  }
  return counts;
}

inline OrderSpec ratr_order() {
  OrderSpec order;
  order.name = "ratr";
  order.keys[0] = {"stage", "op", "expert", "row", "tile"};
  order.keys[1] = {"stage", "expert", "chunk", "(dst - rank) % ep"};
  return order;
}

inline OrderSpec naive_order() {
  OrderSpec order = ratr_order();
  order.name = "naive";
  order.keys[1] = {"stage", "expert", "chunk", "dst"};
  return order;
}

inline CompileOptions small_options(std::uint32_t ep, const RoutingCounts& capacity,
                                    std::uint32_t partitions = 1) {
  CompileOptions options;
  options.shape = small_shape(ep);
  options.capacity = capacity;
  options.cut = {.shares = 3, .partitions = partitions, .chunk = 2, .task_rows = 2};
  options.order = ratr_order();
  options.workers = aic_and_aiv(2, 3);
  return options;
}

inline Graph small_graph(bool backward, const MoeShape& shape, Window window = Window::kTransport) {
  return with_small_blocks(backward ? backward_graph(shape, window) : forward_graph(shape, window));
}

}  // namespace a3sim
