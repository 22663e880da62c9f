#include "tests/models/reference_ffn.h"

#include <cmath>
#include <cstring>

namespace a3sim::test {
namespace {

using Vector = std::vector<float>;

// bf16 by brute force: the nearer of the two neighbours, the even one on a tie.
float bf16(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t below_bits = bits & 0xffff0000U, above_bits = below_bits + 0x10000U;
  float below, above;
  std::memcpy(&below, &below_bits, sizeof below);
  std::memcpy(&above, &above_bits, sizeof above);
  const double down = std::fabs(static_cast<double>(value) - below),
               up = std::fabs(above - static_cast<double>(value));
  if (down == up) return (below_bits >> 16) % 2 == 0 ? below : above;
  return down < up ? below : above;
}

// x W, summed in fp32 in the order of W's rows.
Vector times(const Vector& x, const Matrix& w) {
  Vector y(w[0].size());
  for (std::size_t j = 0; j < y.size(); ++j) {
    float sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * w[k][j];
    y[j] = bf16(sum);
  }
  return y;
}

// x Wt.
Vector times_transposed(const Vector& x, const Matrix& w) {
  Vector y(w.size());
  for (std::size_t j = 0; j < y.size(); ++j) {
    float sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * w[j][k];
    y[j] = bf16(sum);
  }
  return y;
}

Vector swiglu(const Vector& h) {
  Vector a(h.size() / 2);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = bf16(h[i] / (1.0F + std::exp(-h[i])) * h[a.size() + i]);
  }
  return a;
}

Vector swiglu_gradient(const Vector& d_a, const Vector& h) {
  Vector d_h(h.size());
  for (std::size_t i = 0; i < d_a.size(); ++i) {
    const float gate = h[i], up = h[d_a.size() + i], s = 1.0F / (1.0F + std::exp(-gate));
    d_h[i] = bf16(d_a[i] * up * s * (1.0F + (gate - gate * s)));
    d_h[d_a.size() + i] = bf16(d_a[i] * (gate * s));
  }
  return d_h;
}

// The weight of a token for an expert, if it goes there.
const float* weight_of(const MoeShape& shape, const Routed& routed, std::uint32_t rank, std::uint32_t token,
                       std::uint32_t expert) {
  for (std::size_t slot = std::size_t{token} * shape.top_k; slot < (std::size_t{token} + 1) * shape.top_k;
       ++slot) {
    if (routed.experts[rank][slot] == expert) return &routed.weights[rank][slot];
  }
  return nullptr;
}

void add_outer(Matrix& sum, const Vector& a, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) sum[i][j] += a[i] * b[j];
  }
}

void round_all(Matrix& matrix) {
  for (Vector& row : matrix) {
    for (float& value : row) value = bf16(value);
  }
}

Matrix zeros(std::uint32_t rows, std::uint32_t cols) { return Matrix(rows, Vector(cols)); }

}  // namespace

Parameters random_parameters(const MoeShape& shape, std::uint64_t seed) {
  Parameters parameters;
  for (std::uint32_t expert = 0; expert < shape.experts(); ++expert) {
    parameters.w1.push_back(random_matrix(seed + 2 * expert, shape.hidden, 2 * shape.intermediate));
    parameters.w2.push_back(random_matrix(seed + 2 * expert + 1, shape.intermediate, shape.hidden));
  }
  return parameters;
}

Forward forward(const MoeShape& shape, const Routed& routed, const Parameters& parameters,
                const std::vector<Matrix>& tokens) {
  Forward result;
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    result.output.push_back(zeros(shape.tokens, shape.hidden));
    for (std::uint32_t token = 0; token < shape.tokens; ++token) {
      for (std::uint32_t expert = 0; expert < shape.experts(); ++expert) {
        const float* weight = weight_of(shape, routed, rank, token, expert);
        if (!weight) continue;
        const Vector h = times(tokens[rank][token], parameters.w1[expert]);
        const Vector y = times(swiglu(h), parameters.w2[expert]);
        for (std::size_t i = 0; i < y.size(); ++i) result.output[rank][token][i] += *weight * y[i];
      }
    }
    round_all(result.output[rank]);
  }
  return result;
}

Backward backward(const MoeShape& shape, const Routed& routed, const Parameters& parameters,
                  const std::vector<Matrix>& tokens, const std::vector<Matrix>& d_output) {
  Backward result;
  result.d_tokens.assign(shape.ep, zeros(shape.tokens, shape.hidden));
  result.d_w1.assign(shape.experts(), zeros(shape.hidden, 2 * shape.intermediate));
  result.d_w2.assign(shape.experts(), zeros(shape.intermediate, shape.hidden));
  for (std::uint32_t expert = 0; expert < shape.experts(); ++expert) {
    for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
      for (std::uint32_t token = 0; token < shape.tokens; ++token) {
        const float* weight = weight_of(shape, routed, rank, token, expert);
        if (!weight) continue;
        const Vector &x = tokens[rank][token], h = times(x, parameters.w1[expert]);
        Vector d_y = d_output[rank][token];
        for (float& value : d_y) value = bf16(value * *weight);
        const Vector d_h = swiglu_gradient(times_transposed(d_y, parameters.w2[expert]), h);
        const Vector d_x = times_transposed(d_h, parameters.w1[expert]);
        add_outer(result.d_w2[expert], swiglu(h), d_y);
        add_outer(result.d_w1[expert], x, d_h);
        for (std::size_t i = 0; i < d_x.size(); ++i) result.d_tokens[rank][token][i] += d_x[i];
      }
    }
  }
  for (auto* matrices : {&result.d_tokens, &result.d_w1, &result.d_w2}) {
    for (Matrix& matrix : *matrices) round_all(matrix);
  }
  return result;
}

}  // namespace a3sim::test
