#include <fmt/format.h>

#include <cmath>

#include "models/operators/elementwise.h"

namespace a3sim {
namespace {

// Computes the gradient of SwiGLU's input from the gradient of its output and the kept input.
class SwiGluGrad final : public ElementwiseOperator {
 public:
  TaskType task_type() const override { return TaskType{106}; }
  std::uint32_t num_inputs() const override { return 2; }
  std::vector<std::uint32_t> row_widths(std::uint32_t cols) const override { return {cols / 2, cols, cols}; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (std::string why = same_rows(inputs[0], outputs[0]); !why.empty()) return why;
    if (std::string why = same_rows(inputs[1], outputs[0]); !why.empty()) return why;
    if (std::string why = same_width(inputs[1], outputs[0]); !why.empty()) return why;
    if (outputs[0].cols == 2 * inputs[0].cols) return {};
    return fmt::format("'{}' has {} columns, '{}' must have twice as many and has {}", inputs[0].name,
                       inputs[0].cols, outputs[0].name, outputs[0].cols);
  }

 private:
  // Conversions: grad, gate and up in, two results out: 5. Simple: -gate, 1 + e, gate * s, grad * silu,
  // grad * up, * s, gate - silu, 1 + that, the product: 9. exp and 1 / (1 + e): 2.
  VectorOps per_element() const override { return {.simple_fp32 = 9, .convert = 5, .transcendental = 2}; }

  void compute_row(std::span<const std::span<const float>> inputs,
                   std::span<const std::span<float>> outputs) const override {
    const std::span<float> output = outputs[0];
    const auto grad = inputs[0];
    const std::size_t width = grad.size();
    const auto gate = inputs[1].first(width), up = inputs[1].subspan(width);
    for (std::size_t i = 0; i < width; ++i) {
      const float s = 1.0F / (1.0F + std::exp(-gate[i]));
      const float silu = gate[i] * s;
      output[i] = grad[i] * up[i] * s * (1.0F + (gate[i] - silu));
      output[width + i] = grad[i] * silu;
    }
  }
};

A3SIM_REGISTER(Operator, "SwiGLUGrad", "gradient of SwiGLU, from its kept input", SwiGluGrad);

}  // namespace
}  // namespace a3sim
