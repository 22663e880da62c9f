#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/graph/graph.h"

namespace a3sim {

// A product of a tensor-parallel group whose rows are gathered beside it: every rank has `rows` rows of A, multiplies
// them at once by its own B, and the others' rows chunk by chunk, as they come. All movers send one chunk before the
// next, and two chunks have room at a time.
struct ChunkedGemm {
  // All of it, or the product of all ranks' rows alone, or the gather alone.
  enum class Part : std::uint8_t { kAll, kProduct, kGather };
  std::uint32_t rows = 0, n = 0, k = 0, ranks = 2;
  std::uint32_t chunk_rows = 0;  // of each rank
  // Groups into which a chunk of one rank is cut, that are multiplied one by one; 1: all ranks' rows of a chunk are
  // one grid of blocks.
  std::uint32_t groups = 1;
  std::uint32_t rewriters = 1;  // vector workers that rewrite B where its rows are no whole lines
  bool transposed = true;       // B is stored as [n x k]
  Part part = Part::kAll;
  DataType dtype = DataType::kInt8, result = DataType::kFp16;
};
constexpr auto names_of(ChunkedGemm::Part) {
  return std::to_array<std::string_view>({"all", "product", "gather"});
}
// The rows of a chunk are a multiple of the groups; with groups, the ranks' own rows are a multiple of a group's
// rows, as often as there are ranks.
Graph chunked_gemm_graph(const ChunkedGemm& shape);

}  // namespace a3sim
