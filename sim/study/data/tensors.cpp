#include "sim/study/data/tensors.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/core/rng.h"
#include "sim/study/data/plain_ffn.h"

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

TensorComparison compare(const std::string& tensor, DataType dtype, const std::vector<TensorData>& expected,
                         const std::vector<TensorData>& actual) {
  TensorComparison result{tensor, 0, 0, 0, 0};
  for (std::size_t rank = 0; rank < expected.size(); ++rank) {
    result.elements += expected[rank].values.size();
    for (std::size_t i = 0; i < expected[rank].values.size(); ++i) {
      const float a = actual[rank].values[i], e = expected[rank].values[i];
      if (std::isnan(a)) {
        ++result.different;
        ++result.unwritten;
      } else if (std::bit_cast<std::uint32_t>(a) != std::bit_cast<std::uint32_t>(e)) {
        ++result.different;
        result.worst_ulp =
            std::max(result.worst_ulp, std::fabs(static_cast<double>(a) - e) / plain::ulp(dtype, e));
      }
    }
  }
  return result;
}

}  // namespace a3sim
