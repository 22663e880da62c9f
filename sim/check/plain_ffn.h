#pragma once

#include <cstdint>
#include <vector>

#include "models/routing/routing.h"
#include "models/shape.h"

// An MoE-FFN and its gradients, computed token by token and expert by expert. Simulated tensors are
// compared with them. This code knows no layouts, tasks or operators, and shares no arithmetic with them.
namespace a3sim::plain {

using Vector = std::vector<float>;
using Matrix = std::vector<Vector>;  // one entry per row

// The destinations of every rank's tokens, with their weights: [rank][token * top_k + slot]. kNone: no
// destination.
struct Routed {
  std::vector<std::vector<std::uint32_t>> experts;
  std::vector<Vector> weights;

  RoutingCounts counts(const MoeShape& shape) const;
};

struct Parameters {
  // One matrix per global expert: hidden x 2 intermediate, intermediate x hidden.
  std::vector<Matrix> w1, w2;
};

struct Backward {
  std::vector<Matrix> d_tokens;    // one per rank
  std::vector<Matrix> d_w1, d_w2;  // one per global expert
};

// Compute the passes. Values are rounded to shape.dtype when a tensor is written. Sums are in fp32: over a
// product's K, over a token's experts, and over an expert's rows by rank and token. forward() returns
// tokens x hidden for each rank.
std::vector<Matrix> forward(const MoeShape& shape, const Routed& routed, const Parameters& parameters,
                            const std::vector<Matrix>& tokens);
Backward backward(const MoeShape& shape, const Routed& routed, const Parameters& parameters,
                  const std::vector<Matrix>& tokens, const std::vector<Matrix>& d_output);

// Returns SwiGLU of `gate_up`, plus `other`.
Matrix swiglu_add(DataType dtype, const Matrix& gate_up, const Matrix& other);

// Returns a b.
Matrix product(DataType dtype, const Matrix& a, const Matrix& b);

// Return x W, summed in fp32 in the order of W's rows, and x Wt; both rounded.
Vector times(DataType dtype, const Vector& x, const Matrix& w);
Vector times_transposed(DataType dtype, const Vector& x, const Matrix& w);
// Returns SwiGLU of [gate, up].
Vector swiglu(DataType dtype, const Vector& h);
Vector swiglu_gradient(DataType dtype, const Vector& d_a, const Vector& h);
// Adds a bt to `sum`, in fp32.
void add_outer(Matrix& sum, const Vector& a, const Vector& b);

// Returns the nearest value that `dtype` holds; of two equally near ones the even one.
float rounded(DataType dtype, float value);
void round_all(DataType dtype, Matrix& matrix);
// Returns the distance between neighbouring values of `dtype` around `value`.
double ulp(DataType dtype, double value);

}  // namespace a3sim::plain
