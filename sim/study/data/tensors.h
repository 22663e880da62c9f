#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/operators/data.h"

namespace a3sim {

// Tensors by name, each with its real rows on every rank.
using Tensors = std::map<std::string, std::vector<TensorData>>;

// Values in [-1, 1) that `dtype` holds, times `scale`, the same for the same seed and stream.
TensorData random_tensor(DataType dtype, std::uint32_t rows, std::uint32_t cols, float scale,
                         std::uint64_t seed, std::uint64_t stream);

// How a tensor differs from what it should be, over all ranks.
struct TensorComparison {
  std::string tensor{};
  std::uint64_t elements = 0;
  std::uint64_t different = 0;  // in any bit, or no number
  std::uint64_t unwritten = 0;  // of these, those that are no number
  double worst_ulp = 0;         // of those that are numbers: largest distance, in units of the last place

  bool right() const { return different == 0; }
};

// One element more: it is wrong beyond `allowed` of what is expected, without that in any bit.
void compare(DataType dtype, float expected, float actual, const float* allowed, TensorComparison& to);
// Both have the same ranks, rows and columns.
TensorComparison compare(const std::string& tensor, DataType dtype, const std::vector<TensorData>& expected,
                         const std::vector<TensorData>& actual);

}  // namespace a3sim
