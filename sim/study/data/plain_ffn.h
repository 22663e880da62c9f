#pragma once

#include <cstdint>
#include <vector>

#include "models/routing/routing.h"
#include "models/shape.h"

// An MoE-FFN and its gradients, token by token and expert by expert: what the simulation's tensors are
// compared with. Knows no layouts, tasks or operators, and shares no arithmetic with them.
namespace a3sim::plain {

using Vector = std::vector<float>;
using Matrix = std::vector<Vector>;  // by row

// Where the tokens of every rank go, and with which weight: [rank][token * top_k + slot]; kNone: nowhere.
struct Routed {
  std::vector<std::vector<std::uint32_t>> experts;
  std::vector<Vector> weights;

  RoutingCounts counts(const MoeShape& shape) const;
};

struct Parameters {
  std::vector<Matrix> w1, w2;  // by global expert: hidden x 2 intermediate, intermediate x hidden
};

struct Backward {
  std::vector<Matrix> d_tokens;    // by rank
  std::vector<Matrix> d_w1, d_w2;  // by global expert
};

// Values are rounded to shape.dtype where a tensor is written, and sums are fp32: over a product's K, over a
// token's experts, over an expert's rows by rank and token. The output is by rank: tokens x hidden.
std::vector<Matrix> forward(const MoeShape& shape, const Routed& routed, const Parameters& parameters,
                            const std::vector<Matrix>& tokens);
Backward backward(const MoeShape& shape, const Routed& routed, const Parameters& parameters,
                  const std::vector<Matrix>& tokens, const std::vector<Matrix>& d_output);

// SwiGLU of `gate_up`, plus `other`.
Matrix swiglu_add(DataType dtype, const Matrix& gate_up, const Matrix& other);

// a b.
Matrix product(DataType dtype, const Matrix& a, const Matrix& b);

// x W, summed in fp32 in the order of W's rows; x Wt; both rounded.
Vector times(DataType dtype, const Vector& x, const Matrix& w);
Vector times_transposed(DataType dtype, const Vector& x, const Matrix& w);
// Of [gate, up].
Vector swiglu(DataType dtype, const Vector& h);
Vector swiglu_gradient(DataType dtype, const Vector& d_a, const Vector& h);
// sum += a bt, in fp32.
void add_outer(Matrix& sum, const Vector& a, const Vector& b);

// The nearest value that `dtype` holds; the even one of two.
float rounded(DataType dtype, float value);
void round_all(DataType dtype, Matrix& matrix);
// The distance from one value of `dtype` to the next, around `value`.
double ulp(DataType dtype, double value);

}  // namespace a3sim::plain
