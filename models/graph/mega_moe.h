#pragma once

#include <vector>

#include "models/graph/graph.h"

namespace a3sim {

// The division of work in a fused MoE kernel (MegaMoE of pto-isa, dispatch_ffn_combine of AscendC).
struct MegaMoeOptions {
  std::uint32_t vector_cores = 48;  // of a device; evenly divided work has as many parts
  // Cores that sort runs of routes; if there are several, one of them merges the runs.
  std::uint32_t sorters = 1;
  std::uint32_t sorts = 1;  // number of times that each sorts its run
  bool index = false;       // the places of routes are counted and written one by one
  // Experts between two barriers of Dispatch; empty: no barriers.
  std::vector<std::uint32_t> dispatch_segments;
  std::vector<std::uint32_t>
      activation_segments;  // experts of each segment of SwiGLU, with a barrier before and after
  std::vector<std::uint32_t> combine_segments;  // experts between two barriers of Combine; empty: no barriers
  bool combine_meets = false;  // all cores finish an expert's Combine before the next one begins
  bool doorbells = false;      // segments are told by flags, without barriers
  // Tokens are summed once the results of this many experts of each rank are back, as far as they are complete
  // then; 0: once all ranks have met behind the last expert.
  std::uint32_t early_experts = 0;
  std::uint32_t pull_rows = 1 << 30;  // most rows of a task of Dispatch
  std::uint32_t put_rows = 1 << 30;   // most rows of a task of Combine
  bool put_tiles = false;             // Combine sends pieces of tiles instead of whole rows
  Tiling gmm1, gmm2;
};

// Returns the graph. Tokens are sorted by expert and packed in int8, one row per route, into windows. Ranks
// exchange counts, pull their experts' rows, multiply them in int8 with fp16 results, and put the results
// back; each token's results are summed there.
Graph mega_moe_graph(const MoeShape& shape, const MegaMoeOptions& options);

}  // namespace a3sim
