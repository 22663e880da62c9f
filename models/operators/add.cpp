#include "models/operators/elementwise.h"

namespace a3sim {
namespace {

class Add final : public ElementwiseOperator {
 public:
  TaskType task_type() const override { return TaskType{101}; }
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
  // Both operands are widened and the sum is narrowed: bf16 has no arithmetic of its own.
  VectorOps per_element() const override { return {.simple_fp32 = 1, .convert = 3, .transcendental = 0}; }

  void compute_row(std::span<const std::span<const float>> inputs,
                   std::span<const std::span<float>> outputs) const override {
    const std::span<float> output = outputs[0];
    for (std::size_t i = 0; i < output.size(); ++i) output[i] = inputs[0][i] + inputs[1][i];
  }
};

A3SIM_REGISTER(Operator, "Add", "sum of two tensors", Add);

}  // namespace
}  // namespace a3sim
