#include "models/operators/elementwise.h"

namespace a3sim {
namespace {

// Computes the square of ReLU, the activation of experts without a gate.
class SquaredRelu final : public ElementwiseOperator {
 public:
  TaskType task_type() const override { return TaskType{240}; }
  std::uint32_t num_inputs() const override { return 1; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    std::string why = same_rows(inputs[0], outputs[0]);
    return why.empty() ? same_width(inputs[0], outputs[0]) : why;
  }

 private:
  // 2 conversions: the input is widened, the result narrowed. 2 simple operations: the larger of it and zero, its square.
  VectorOps per_element() const override { return {.simple_fp32 = 2, .convert = 2, .transcendental = 0}; }

  void compute_row(std::span<const std::span<const float>> inputs,
                   std::span<const std::span<float>> outputs) const override {
    const std::span<float> output = outputs[0];
    for (std::size_t i = 0; i < output.size(); ++i) {
      const float kept = std::max(0.0F, inputs[0][i]);
      output[i] = kept * kept;
    }
  }
};

A3SIM_REGISTER(Operator, "ReLU2", "the square of ReLU", SquaredRelu);

}  // namespace
}  // namespace a3sim
