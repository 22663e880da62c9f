#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/operators/data.h"

namespace a3sim {

// Tensors by name, each with its real rows on every rank.
using Tensors = std::map<std::string, std::vector<TensorData>>;

// Returns values in [-1, 1) that `dtype` holds, times `scale`. They depend only on the seed and the stream.
TensorData random_tensor(DataType dtype, std::uint32_t rows, std::uint32_t cols, float scale,
                         std::uint64_t seed, std::uint64_t stream);

// The differences between a tensor and its expected values, over all ranks.
struct TensorComparison {
  std::string tensor{};
  std::uint64_t elements = 0;
  std::uint64_t different = 0;  // in any bit, or NaN
  std::uint64_t unwritten = 0;  // those of `different` that are NaN
  double worst_ulp = 0;         // the largest distance of other elements, in units of the last place

  bool right() const { return different == 0; }
};

// Counts one more element. It is wrong if it differs by more than `allowed`, or in any bit if that is null.
void compare(DataType dtype, float expected, float actual, const float* allowed, TensorComparison& to);
// Compares a tensor on all ranks. Both must have the same ranks, rows and columns.
TensorComparison compare(const std::string& tensor, DataType dtype, const std::vector<TensorData>& expected,
                         const std::vector<TensorData>& actual);

}  // namespace a3sim
