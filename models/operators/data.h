#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/operators/operator.h"

namespace a3sim {

// A tensor of one rank with real values in real rows. Values are stored as fp32, rounded to the precision
// that the hardware would hold. Fresh memory is NaN, so that reading before writing shows.
struct TensorData {
  std::uint32_t rows = 0, cols = 0;
  std::vector<float> values;

  std::span<float> row(std::uint32_t r) { return {values.data() + std::size_t{r} * cols, cols}; }
  std::span<const float> row(std::uint32_t r) const { return {values.data() + std::size_t{r} * cols, cols}; }
};

// The token that a row of the sent layout comes from.
struct SentRow {
  std::uint32_t token;
  float weight;  // the router's weight
};

// Returns the sent rows of a rank, ordered by global expert, then token. `assignment`: the experts of its
// tokens (RoutingGenerator::assign).
std::vector<SentRow> sent_rows(const MoeShape& shape, std::span<const std::uint32_t> assignment,
                               std::span<const float> weights);

// All tensors of all ranks, and the routing that Permute and Accumulate read.
class Data {
 public:
  // Allocates every tensor for the layout's real rows and fills it with NaN.
  Data(const RowLayout& layout, const std::vector<std::vector<TensorInfo>>& tensors_by_rank);

  TensorData& tensor(RankId rank, TensorId id) { return tensors_[index(rank)][index(id)]; }
  const TensorData& tensor(RankId rank, TensorId id) const { return tensors_[index(rank)][index(id)]; }

  // Rows of the sent layout, by rank. Must be set before the first task runs.
  std::vector<std::vector<SentRow>> sent;

 private:
  std::vector<std::vector<TensorData>> tensors_;
};

// Returns `value` as a tensor of `type` holds it (round to nearest even).
float round_to(DataType type, float value);

}  // namespace a3sim
