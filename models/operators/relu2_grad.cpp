#include "models/operators/elementwise.h"

namespace a3sim {
namespace {

// Computes the gradient of the input of ReLU2 from the gradient of its output and the kept input.
class SquaredReluGrad final : public ElementwiseOperator {
 public:
  TaskType task_type() const override { return TaskType{241}; }
  std::uint32_t num_inputs() const override { return 2; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    for (const TensorInfo& input : inputs) {
      if (std::string why = same_rows(input, outputs[0]); !why.empty()) return why;
      if (std::string why = same_width(input, outputs[0]); !why.empty()) return why;
    }
    return {};
  }

 private:
  // 3 conversions: gradient and input in, the result out. 3 simple operations: the larger of input and zero, twice that, the
  // product.
  VectorOps per_element() const override { return {.simple_fp32 = 3, .convert = 3, .transcendental = 0}; }

  void compute_row(std::span<const std::span<const float>> inputs,
                   std::span<const std::span<float>> outputs) const override {
    const std::span<float> output = outputs[0];
    for (std::size_t i = 0; i < output.size(); ++i)
      output[i] = 2.0F * std::max(0.0F, inputs[1][i]) * inputs[0][i];
  }
};

A3SIM_REGISTER(Operator, "ReLU2Grad", "gradient of ReLU2, from its kept input", SquaredReluGrad);

}  // namespace
}  // namespace a3sim
