#include <algorithm>

#include "models/operators/elementwise.h"

namespace a3sim {
namespace {

class Cast final : public ElementwiseOperator {
 public:
  TaskType task_type() const override { return TaskType{230}; }
  std::uint32_t num_inputs() const override { return 1; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (std::string why = as_many_rows(inputs[0], outputs[0]); !why.empty()) return why;
    return as_many_cols(inputs[0], outputs[0]);
  }

 private:
  VectorOps per_element() const override { return {.simple_fp32 = 0, .convert = 1, .transcendental = 0}; }

  void compute_row(std::span<const std::span<const float>> inputs,
                   std::span<const std::span<float>> outputs) const override {
    const std::span<float> output = outputs[0];
    std::copy(inputs[0].begin(), inputs[0].end(), output.begin());
  }
};

A3SIM_REGISTER(Operator, "Cast", "a tensor as another of another type", Cast);

}  // namespace
}  // namespace a3sim
