#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/graph/graph.h"

namespace a3sim {

// A product of a tensor-parallel group that overlaps the gather of its rows. Every rank has `rows` rows of A.
// It multiplies these at once by its own B, and the other ranks' rows chunk by chunk as they arrive. All
// movers send one chunk before the next, and there is room for two chunks.
struct ChunkedGemm {
  // The whole, or only the product of all ranks' rows, or only the gather.
  enum class Part : std::uint8_t { kAll, kProduct, kGather };
  std::uint32_t rows = 0, n = 0, k = 0, ranks = 2;
  std::uint32_t chunk_rows = 0;  // rows of a chunk from each rank
  // Groups into which a rank's chunk is cut and which are multiplied one by one. 1: all ranks' rows of a
  // chunk form one grid of blocks.
  std::uint32_t groups = 1;
  std::uint32_t rewriters = 1;  // vector workers that rewrite B if its rows are not whole lines
  bool transposed = true;       // B is stored as [n x k]
  bool meets = false;           // vector cores of all ranks meet before and after each chunk
  Part part = Part::kAll;
  DataType dtype = DataType::kInt8, result = DataType::kFp16;
};
constexpr auto names_of(ChunkedGemm::Part) {
  return std::to_array<std::string_view>({"all", "product", "gather"});
}
// Returns the graph. `chunk_rows` must be a multiple of `groups`. With groups, `rows` must be a multiple of a
// group's rows times the number of ranks.
Graph chunked_gemm_graph(const ChunkedGemm& shape);

}  // namespace a3sim
