#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/operators/operator.h"

namespace a3sim {

// A real tensor of one rank, in real rows. Values are held as fp32; what the hardware would hold in 16 bits
// has been rounded so. Fresh memory is NaN: a read before the write shows.
struct TensorData {
  std::uint32_t rows = 0, cols = 0;
  std::vector<float> values;

  std::span<float> row(std::uint32_t r) { return {values.data() + std::size_t{r} * cols, cols}; }
  std::span<const float> row(std::uint32_t r) const { return {values.data() + std::size_t{r} * cols, cols}; }
};

// Where a row of the sent layout comes from.
struct SentRow {
  std::uint32_t token;
  float weight;  // the router's
};

// The sent rows of a rank whose tokens go where `assignment` says (RoutingGenerator::assign), each with its
// weight: by global expert, then token.
std::vector<SentRow> sent_rows(const MoeShape& shape, std::span<const std::uint32_t> assignment,
                               std::span<const float> weights);

// All tensors of all ranks, and the routing that Permute and Accumulate read.
class Data {
 public:
  // Allocates every tensor for the layout's real rows and fills it with NaN.
  Data(const RowLayout& layout, const std::vector<std::vector<TensorInfo>>& tensors_by_rank);

  TensorData& tensor(RankId rank, TensorId id) { return tensors_[index(rank)][index(id)]; }
  const TensorData& tensor(RankId rank, TensorId id) const { return tensors_[index(rank)][index(id)]; }

  // Rows of the sent layout of a rank; set before the first task runs.
  std::vector<std::vector<SentRow>> sent;

 private:
  std::vector<std::vector<TensorData>> tensors_;
};

// `value` as a tensor of `type` holds it (round to nearest even).
float round_to(DataType type, float value);

}  // namespace a3sim
