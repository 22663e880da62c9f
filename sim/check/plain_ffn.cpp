#include "sim/check/plain_ffn.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/core/ids.h"

namespace a3sim::plain {
namespace {

struct Format {
  int fraction_bits, smallest_exponent;
  double largest;
};

// Floating point in eight bits and fewer is carried in bf16, as the operators do.
Format format_of(DataType dtype) {
  switch (dtype) {
    case DataType::kBf16:
    case DataType::kFp8E4m3:
    case DataType::kFp8E5m2:
    case DataType::kHif8:
    case DataType::kMxfp8:
    case DataType::kMxfp4:
      return {7, -126, 0x1.fep127};
    case DataType::kFp16:
      return {10, -14, 65504};
    default:
      return {23, -126, 0x1.fffffep127};
  }
}

bool is_integer(DataType dtype) { return dtype == DataType::kInt8 || dtype == DataType::kInt32; }

// Calls visit(expert, rank, token, weight) for each destination of a token, by expert, rank and token. All
// sums have this order.
template <class Visit>
void for_each_routed(const MoeShape& shape, const Routed& routed, Visit visit) {
  for (std::uint32_t expert = 0; expert < shape.experts(); ++expert) {
    for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
      for (std::size_t slot = 0; slot < routed.experts[rank].size(); ++slot) {
        if (routed.experts[rank][slot] == expert)
          visit(expert, rank, slot / shape.top_k, routed.weights[rank][slot]);
      }
    }
  }
}

// Returns the distance between neighbouring values of a format at `value`.
double step_at(const Format& format, double value) {
  constexpr int kFraction = 52, kBias = 1023;  // of a double
  const auto bits = std::bit_cast<std::uint64_t>(std::fabs(value));
  const int exponent = std::max(static_cast<int>(bits >> kFraction) - kBias, format.smallest_exponent);
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent - format.fraction_bits + kBias)
                               << kFraction);
}

float rounded_to(const Format& format, float value) {
  constexpr double kWhole = 0x1.8p52;  // has no fraction bits: adding it rounds to a whole number
  const double step = step_at(format, value);
  const double nearest = (value / step + kWhole - kWhole) * step;
  return std::copysign(std::fabs(nearest) <= format.largest ? static_cast<float>(nearest) : HUGE_VALF, value);
}

void round_all(DataType dtype, Vector& values) {
  if (dtype == DataType::kFp32) return;
  const Format format = format_of(dtype);
  const bool integer = is_integer(dtype);
  for (float& value : values) {
    if (value == value) value = integer ? rounded(dtype, value) : rounded_to(format, value);
  }
}

Matrix zeros(std::uint32_t rows, std::uint32_t cols) { return Matrix(rows, Vector(cols)); }

}  // namespace

Vector times(DataType dtype, const Vector& x, const Matrix& w) {
  Vector y(w[0].size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Vector& row = w[k];
    for (std::size_t j = 0; j < y.size(); ++j) y[j] += x[k] * row[j];
  }
  round_all(dtype, y);
  return y;
}

Vector times_transposed(DataType dtype, const Vector& x, const Matrix& w) {
  Vector y(w.size());
  for (std::size_t j = 0; j < y.size(); ++j) {
    float sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * w[j][k];
    y[j] = sum;
  }
  round_all(dtype, y);
  return y;
}

Vector swiglu(DataType dtype, const Vector& h) {
  Vector a(h.size() / 2);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = rounded(dtype, h[i] / (1.0F + std::exp(-h[i])) * h[a.size() + i]);
  }
  return a;
}

Vector swiglu_gradient(DataType dtype, const Vector& d_a, const Vector& h) {
  Vector d_h(h.size());
  for (std::size_t i = 0; i < d_a.size(); ++i) {
    const float gate = h[i], up = h[d_a.size() + i], s = 1.0F / (1.0F + std::exp(-gate));
    d_h[i] = rounded(dtype, d_a[i] * up * s * (1.0F + (gate - gate * s)));
    d_h[d_a.size() + i] = rounded(dtype, d_a[i] * (gate * s));
  }
  return d_h;
}

void add_outer(Matrix& sum, const Vector& a, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    Vector& row = sum[i];
    for (std::size_t j = 0; j < b.size(); ++j) row[j] += a[i] * b[j];
  }
}

RoutingCounts Routed::counts(const MoeShape& shape) const {
  RoutingCounts counts(shape.ep, shape.experts());
  for (std::uint32_t rank = 0; rank < experts.size(); ++rank) {
    for (const std::uint32_t expert : experts[rank]) {
      if (expert != kNone) ++counts.at(rank, expert);
    }
  }
  return counts;
}

double ulp(DataType dtype, double value) {
  if (is_integer(dtype)) return 1;
  return step_at(format_of(dtype), value);
}

float rounded(DataType dtype, float value) {
  if (dtype == DataType::kFp32 || value != value) return value;
  if (dtype == DataType::kInt8) return std::clamp(std::nearbyint(value), -128.0F, 127.0F);
  if (is_integer(dtype)) return std::nearbyint(value);
  return rounded_to(format_of(dtype), value);
}

void round_all(DataType dtype, Matrix& matrix) {
  for (Vector& row : matrix) round_all(dtype, row);
}

std::vector<Matrix> forward(const MoeShape& shape, const Routed& routed, const Parameters& parameters,
                            const std::vector<Matrix>& tokens) {
  const DataType dtype = shape.dtype;
  std::vector<Matrix> output(shape.ep, zeros(shape.tokens, shape.hidden));
  for_each_routed(shape, routed,
                  [&](std::uint32_t expert, std::uint32_t rank, std::size_t token, float weight) {
                    const Vector h = times(dtype, tokens[rank][token], parameters.w1[expert]);
                    const Vector y = times(dtype, swiglu(dtype, h), parameters.w2[expert]);
                    for (std::size_t i = 0; i < y.size(); ++i) output[rank][token][i] += weight * y[i];
                  });
  for (Matrix& matrix : output) round_all(dtype, matrix);
  return output;
}

Backward backward(const MoeShape& shape, const Routed& routed, const Parameters& parameters,
                  const std::vector<Matrix>& tokens, const std::vector<Matrix>& d_output) {
  const DataType dtype = shape.dtype;
  Backward result;
  result.d_tokens.assign(shape.ep, zeros(shape.tokens, shape.hidden));
  result.d_w1.assign(shape.experts(), zeros(shape.hidden, 2 * shape.intermediate));
  result.d_w2.assign(shape.experts(), zeros(shape.intermediate, shape.hidden));
  for_each_routed(shape, routed,
                  [&](std::uint32_t expert, std::uint32_t rank, std::size_t token, float weight) {
                    const Vector &x = tokens[rank][token], h = times(dtype, x, parameters.w1[expert]);
                    Vector d_y = d_output[rank][token];
                    for (float& value : d_y) value = rounded(dtype, value * weight);
                    const Vector d_a = times_transposed(dtype, d_y, parameters.w2[expert]);
                    const Vector d_h = swiglu_gradient(dtype, d_a, h);
                    const Vector d_x = times_transposed(dtype, d_h, parameters.w1[expert]);
                    add_outer(result.d_w2[expert], swiglu(dtype, h), d_y);
                    add_outer(result.d_w1[expert], x, d_h);
                    for (std::size_t i = 0; i < d_x.size(); ++i) result.d_tokens[rank][token][i] += d_x[i];
                  });
  for (auto* matrices : {&result.d_tokens, &result.d_w1, &result.d_w2}) {
    for (Matrix& matrix : *matrices) round_all(dtype, matrix);
  }
  return result;
}

Matrix swiglu_add(DataType dtype, const Matrix& gate_up, const Matrix& other) {
  Matrix sum;
  for (std::size_t row = 0; row < gate_up.size(); ++row) {
    Vector& values = sum.emplace_back(swiglu(dtype, gate_up[row]));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = rounded(dtype, values[i] + other[row][i]);
  }
  return sum;
}

Matrix product(DataType dtype, const Matrix& a, const Matrix& b) {
  Matrix c;
  for (const Vector& row : a) c.push_back(times(dtype, row, b));
  return c;
}

}  // namespace a3sim::plain
