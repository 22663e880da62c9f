#include "sim/check/tensors.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/check/plain_ffn.h"
#include "sim/core/rng.h"

namespace a3sim {

TensorData random_tensor(DataType dtype, std::uint32_t rows, std::uint32_t cols, float scale,
                         std::uint64_t seed, std::uint64_t stream) {
  Rng rng(seed, stream);
  TensorData tensor{rows, cols, std::vector<float>(std::size_t{rows} * cols)};
  for (float& value : tensor.values) {
    value = plain::rounded(dtype, static_cast<float>(2 * rng.uniform() - 1) * scale);
  }
  return tensor;
}

void compare(DataType dtype, float expected, float actual, const float* allowed, TensorComparison& to) {
  ++to.elements;
  if (std::isnan(actual)) {
    ++to.different;
    ++to.unwritten;
    return;
  }
  const double apart = std::fabs(static_cast<double>(actual) - expected);
  if (apart > 0) to.worst_ulp = std::max(to.worst_ulp, apart / plain::ulp(dtype, expected));
  const bool wrong = allowed ? apart > *allowed
                             : std::bit_cast<std::uint32_t>(actual) != std::bit_cast<std::uint32_t>(expected);
  to.different += wrong ? 1 : 0;
}

TensorComparison compare(const std::string& tensor, DataType dtype, const std::vector<TensorData>& expected,
                         const std::vector<TensorData>& actual) {
  TensorComparison result{tensor};
  for (std::size_t rank = 0; rank < expected.size(); ++rank) {
    for (std::size_t i = 0; i < expected[rank].values.size(); ++i)
      compare(dtype, expected[rank].values[i], actual[rank].values[i], nullptr, result);
  }
  return result;
}

}  // namespace a3sim
