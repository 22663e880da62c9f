#pragma once

#include <vector>

#include "models/graph/graph.h"

namespace a3sim {

// How a fused MoE kernel of one launch cuts its work (MegaMoE of pto-isa, dispatch_ffn_combine of AscendC).
struct MegaMoeOptions {
  std::uint32_t vector_cores = 48;  // of a device: evenly cut work has as many parts
  std::uint32_t sorters = 1;        // cores that sort runs of routes; several: one of them merges the runs
  std::uint32_t sorts = 1;          // times that each sorts its run
  bool index = false;               // whether the places of routes are counted and written one by one
  std::vector<std::uint32_t>
      dispatch_segments;  // experts between two barriers of Dispatch; none: there are none
  std::vector<std::uint32_t>
      activation_segments;  // experts of each segment of SwiGLU, with a barrier before and after
  std::vector<std::uint32_t>
      combine_segments;               // experts between two barriers of Combine; none: there are none
  std::uint32_t pull_rows = 1 << 30;  // most rows of a task of Dispatch
  std::uint32_t put_rows = 1 << 30;   // most rows of a task of Combine
  bool put_tiles = false;             // whether Combine sends pieces of tiles, not whole rows
  Tiling gmm1, gmm2;
};

// Returns the graph: tokens are sorted by expert and packed in int8, a row a route, into windows; ranks exchange counts,
// pull their experts' rows, multiply in int8 to fp16 at the drain, and put results back, where each token's are summed.
Graph mega_moe_graph(const MoeShape& shape, const MegaMoeOptions& options);

}  // namespace a3sim
