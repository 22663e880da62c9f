#include <fmt/format.h>

#include "models/operators/elementwise.h"

namespace a3sim {
namespace {

// Multiplies integer sums of a product by the scale of their row. The weights' own scale is assumed to be 1:
// one scale per column would take one more multiplication.
class Dequantize final : public ElementwiseOperator {
 public:
  TaskType task_type() const override { return TaskType{209}; }
  std::uint32_t num_inputs() const override { return 2; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    for (const TensorInfo& input : inputs) {
      if (std::string why = as_many_rows(input, outputs[0]); !why.empty()) return why;
    }
    if (inputs[0].dtype != DataType::kInt32 || inputs[0].cols != outputs[0].cols) {
      return fmt::format("'{}' must have the {} columns of '{}' and be int32", inputs[0].name,
                         outputs[0].cols, outputs[0].name);
    }
    if (inputs[1].dtype == DataType::kFp32 && inputs[1].cols == 1) return {};
    return fmt::format("'{}' must have one column of fp32: a scale a row", inputs[1].name);
  }
  // The types of operands and result differ.
  std::vector<std::uint32_t> row_widths(std::uint32_t /*cols*/) const override { return {}; }

 private:
  // Converts int32 to fp32 and to 16 bits; multiplies by the scale.
  VectorOps per_element() const override { return {.simple_fp32 = 1, .convert = 2, .transcendental = 0}; }

  void compute_row(std::span<const std::span<const float>> inputs,
                   std::span<const std::span<float>> outputs) const override {
    for (std::size_t i = 0; i < outputs[0].size(); ++i) outputs[0][i] = inputs[0][i] * inputs[1][0];
  }
};

A3SIM_REGISTER(Operator, "Dequantize", "integer sums times the scale of their row", Dequantize);

}  // namespace
}  // namespace a3sim
