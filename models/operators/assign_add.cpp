#include "models/operators/elementwise.h"

namespace a3sim {
namespace {

// Adds a micro-batch's gradient to a sum, which may have a wider type, as frameworks do.
class AssignAdd final : public ElementwiseOperator {
 public:
  TaskType task_type() const override { return TaskType{231}; }
  std::uint32_t num_inputs() const override { return 2; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (std::string why = as_many_rows(inputs[0], outputs[0]); !why.empty()) return why;
    if (std::string why = as_many_cols(inputs[0], outputs[0]); !why.empty()) return why;
    if (std::string why = same_rows(inputs[1], outputs[0]); !why.empty()) return why;
    return same_width(inputs[1], outputs[0]);
  }

 private:
  VectorOps per_element() const override { return {.simple_fp32 = 1, .convert = 3, .transcendental = 0}; }

  void compute_row(std::span<const std::span<const float>> inputs,
                   std::span<const std::span<float>> outputs) const override {
    const std::span<float> output = outputs[0];
    for (std::size_t i = 0; i < output.size(); ++i) output[i] = inputs[0][i] + inputs[1][i];
  }
};

A3SIM_REGISTER(Operator, "AssignAdd", "a tensor added to a sum, which may be of a wider type", AssignAdd);

}  // namespace
}  // namespace a3sim
